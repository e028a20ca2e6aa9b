import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useCalls } from '../../../api/client.ts';
import classes from './composer.module.css';

/** A decorative thumbnail; nothing when this browser cannot decode it. */
export function Thumbnail({ src }: { readonly src: string }) {
  const [failed, setFailed] = useState(false);
  if (failed) return null;
  return <img src={src} alt="" className={classes['picture']} onError={() => setFailed(true)} />;
}

/** A decorative thumbnail of a stored image. */
export function StoredThumbnail({ hash }: { readonly hash: string }) {
  const { data, isPlaceholderData } = useQuery(
    useCalls().chat.image.url.queryOptions({ input: { hash } }),
  );
  return data === undefined || isPlaceholderData ? null : <Thumbnail src={data.url} />;
}
