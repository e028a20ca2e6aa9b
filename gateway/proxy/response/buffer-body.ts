import { decodeBody } from '../../http/content-coding.ts';
import type { MemoryAllocator } from '../../lib/memory-budget.ts';
import { findContentCoding } from '../../http/headers.ts';
import type { UpstreamResponse } from '../../http/send.ts';

/** Limits for buffering a response: size in bytes, and time in milliseconds, because an error may come without an end. */
export interface BufferLimit {
  readonly bytes: number;
  readonly ms: number;
}

export const ERROR_LIMIT: BufferLimit = { bytes: 64 * 1024, ms: 2_000 };
export const MODEL_LIST_LIMIT: BufferLimit = { bytes: 16 * 1024 * 1024, ms: 60_000 };

/**
 * Buffers a body, puts it back to be read again, and returns it decoded; `null` when it is too long, cannot be decoded, or there is no
 * memory for it. Rejects when the body breaks off.
 */
export async function bufferDecodedBody(
  { body, headers }: UpstreamResponse,
  limit: BufferLimit,
  memory: MemoryAllocator,
): Promise<Buffer | null> {
  const { bytes, ended } = await body.collect(limit, memory);
  body.putBack(bytes);
  if (!ended) return null;
  const coding = findContentCoding(headers);
  if (coding === null) return bytes;
  try {
    return await decodeBody(bytes, coding, { bytes: limit.bytes, memory });
  } catch {
    // The client gets the body as it came.
    return null;
  }
}
