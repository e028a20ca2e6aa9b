import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useCalls } from '../../../api/client.ts';
import classes from './composer.module.css';

/** A small picture that says nothing the words beside it do not; nothing where this browser cannot show it. */
export function Thumbnail({ src }: { readonly src: string }) {
  const [failed, setFailed] = useState(false);
  if (failed) return null;
  return <img src={src} alt="" className={classes['picture']} onError={() => setFailed(true)} />;
}

/** The same, of an image that is kept. */
export function StoredThumbnail({ hash }: { readonly hash: string }) {
  const { data, isPlaceholderData } = useQuery(
    useCalls().chat.image.url.queryOptions({ input: { hash } }),
  );
  return data === undefined || isPlaceholderData ? null : <Thumbnail src={data.url} />;
}
