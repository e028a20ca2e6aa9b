import { Text } from '@mantine/core';
import { IconPhoto } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { formatBytes } from '../../../../../shared/format.ts';
import classes from './bodies.module.css';

/** The images that a page may show, as the chat does. They come with the request; no address is ever fetched. */
const SHOWABLE = /^data:(?<type>image\/(?:png|jpeg|webp|gif));base64,[\w+/=-]+$/u;
const ANY_DATA = /^data:(?<type>[^;,]*)[;,]/u;
const MAX_ADDRESS = 200;

/** Shows an image that is part of a message; its address when it is not, without loading it. */
export function ImageView({ source }: { readonly source: string }) {
  const [isBroken, setBroken] = useState(false);
  const label = useMemo(() => describeImage(source), [source]);
  const canBeShown = useMemo(() => SHOWABLE.test(source), [source]);
  return (
    <figure className={classes['image']}>
      {canBeShown && !isBroken && (
        <img src={source} alt="Part of the message" onError={() => setBroken(true)} />
      )}
      <Text component="figcaption" size="xs" c="dimmed">
        <IconPhoto size={13} aria-hidden /> {label}
      </Text>
    </figure>
  );
}

function describeImage(source: string): string {
  const type = ANY_DATA.exec(source)?.groups?.['type'];
  if (type === undefined) {
    const address = source.length > MAX_ADDRESS ? `${source.slice(0, MAX_ADDRESS)}…` : source;
    return `Image, not loaded: ${address}`;
  }
  const bytes = ((source.length - source.indexOf(',') - 1) * 3) / 4;
  return `Image, ${type === '' ? 'unknown type' : type}, ${formatBytes(Math.floor(bytes))}`;
}
