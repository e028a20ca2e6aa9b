import { decodeBody } from '../../http/content-coding.ts';
import type { MemoryAllocator } from '../../lib/memory-budget.ts';
import { findContentCoding } from '../../http/headers.ts';
import type { UpstreamResponse } from '../../http/send.ts';

/** The most that is held of an answer in order to look at it, in bytes, and how long it is waited for: an error may come without an end. */
export interface BufferLimit {
  readonly bytes: number;
  readonly ms: number;
}

export const ERROR_LIMIT: BufferLimit = { bytes: 64 * 1024, ms: 2_000 };
export const MODEL_LIST_LIMIT: BufferLimit = { bytes: 16 * 1024 * 1024, ms: 60_000 };

/**
 * Takes in a short body, decoded, and puts it back to be read again; `null` when it is too long, cannot be decoded, or there is
 * no room for it.
 * Rejects when the body breaks off.
 */
export async function bufferDecodedBody(
  { body, headers }: UpstreamResponse,
  hold: BufferLimit,
  memory: MemoryAllocator,
): Promise<Buffer | null> {
  const { bytes, ended } = await body.collect(hold, memory);
  body.putBack(bytes);
  if (!ended) return null;
  const coding = findContentCoding(headers);
  if (coding === null) return bytes;
  try {
    return await decodeBody(bytes, coding, { bytes: hold.bytes, memory });
  } catch {
    // What we cannot read is for the client to judge.
    return null;
  }
}
