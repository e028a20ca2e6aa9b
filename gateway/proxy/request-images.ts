import { type MediaTokens, NO_MEDIA } from '../../shared/exchange/usage.ts';

/** How all three protocols mark the kind of a part. Inside a string of JSON the quotes would be escaped. */
const TYPE = Buffer.from('"type"');
const IMAGE = /^"type"\s*:\s*"(?:image_url|input_image)"/u;
/** The arguments of a tool may have such a kind, too, but no source beside it. */
const WITH_SOURCE = /^"type"\s*:\s*"image"\s*,\s*"(?:source|cache_control)"\s*:/u;
const AFTER_SOURCE = /\}\s*,\s*$/u;
const LAST = /^"type"\s*:\s*"image"\s*\}/u;
/** Bytes in which a mark ends, and bytes before it that are looked at. */
const MARK_BYTES = 96;
const BEFORE_BYTES = 16;

/** Counts the images in a request: the parts of such a kind, also those in the results of tools. A mark may continue in the next piece. */
export function countImages(chunks: readonly Buffer[]): number {
  let count = 0;
  let rest = Buffer.alloc(0);
  /** Where in `rest` no mark was looked for yet. */
  let begin = 0;
  for (const [place, chunk] of chunks.entries()) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const isLast = place === chunks.length - 1;
    const end = isLast ? bytes.length : Math.max(begin, bytes.length - MARK_BYTES);
    let at = bytes.indexOf(TYPE, begin);
    for (; at !== -1 && at < end; at = bytes.indexOf(TYPE, at + TYPE.length)) {
      if (isImage(bytes, at)) count += 1;
    }
    const kept = Math.max(0, end - BEFORE_BYTES);
    rest = Buffer.from(bytes.subarray(kept));
    begin = end - kept;
  }
  return count;
}

function isImage(bytes: Buffer, at: number): boolean {
  const mark = bytes.toString('latin1', at, at + MARK_BYTES);
  if (IMAGE.test(mark) || WITH_SOURCE.test(mark)) return true;
  const before = bytes.toString('latin1', Math.max(0, at - BEFORE_BYTES), at);
  return LAST.test(mark) && AFTER_SOURCE.test(before);
}

/** Returns media with the number of images; `null` when neither is known. */
export function withImages(media: MediaTokens | null, images: number | null): MediaTokens | null {
  return images === null ? media : { ...(media ?? NO_MEDIA), images };
}
