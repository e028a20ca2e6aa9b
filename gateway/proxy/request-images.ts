import { type MediaTokens, NO_MEDIA } from '../../shared/exchange/usage.ts';

/** How all three protocols mark the kind of a part. Inside a string of JSON the quotes would be escaped. */
const TYPE = Buffer.from('"type"');
const IMAGE = /^"type"\s*:\s*"(?:image_url|input_image|image)"/u;
/** Bytes in which a mark ends. */
const MARK_BYTES = 64;

/** Counts the images in a request: the parts of such a kind, also those in the results of tools. A mark may continue in the next piece. */
export function countImages(chunks: readonly Buffer[]): number {
  let count = 0;
  let rest = Buffer.alloc(0);
  for (const [place, chunk] of chunks.entries()) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const isLast = place === chunks.length - 1;
    const end = isLast ? bytes.length : Math.max(0, bytes.length - MARK_BYTES);
    let at = bytes.indexOf(TYPE);
    for (; at !== -1 && at < end; at = bytes.indexOf(TYPE, at + TYPE.length)) {
      if (IMAGE.test(bytes.toString('latin1', at, at + MARK_BYTES))) count += 1;
    }
    rest = Buffer.from(bytes.subarray(end));
  }
  return count;
}

/** Returns media with the number of images; `null` when neither is known. */
export function withImages(media: MediaTokens | null, images: number | null): MediaTokens | null {
  return images === null ? media : { ...(media ?? NO_MEDIA), images };
}
