import { Problem } from '../../../shared/problem.ts';

/** Allows a hundred times the longest prompt, or a reference image of 3 MiB in base64. */
const MAX_TEXT = 4 * 1024 * 1024;

/**
 * Limits the size of an order, because reading it blocks the event loop for several passes over its text. `bytes` is the size of a JSON
 * body, or of a form without its files. @throws Problem body_too_large for more than 4 MiB
 */
export function boundOrderText(bytes: number): void {
  if (bytes <= MAX_TEXT) return;
  throw new Problem(
    'body_too_large',
    `This video order has more than ${MAX_TEXT / 1024 / 1024} MiB of text, the maximum. It was not sent and costs nothing. Shorten it, or upload the images in it as files (POST /v1/files, or a file of the form) instead of embedding them.`,
  );
}
