import { decodeBody } from '../http/content-coding.ts';
import type { MemoryAllocator } from '../lib/memory-budget.ts';

/** Bounded, because a small body can become an immense one. */
const MAX_BYTES = 32 * 1024 * 1024;

/**
 * Undoes a `content-encoding`, a list of codings included (RFC 9110, 8.4). `null` for a coding that is not known, a body
 * that is damaged, and one that would be larger than 32 MiB or than there is room for.
 */
export async function decodeAnswer(
  body: Buffer,
  encoding: string | null,
  memory: MemoryAllocator,
): Promise<Buffer | null> {
  if (encoding === null) return body;
  try {
    return await decodeBody(body, encoding, { bytes: MAX_BYTES, memory });
  } catch {
    // Damaged or too large: nothing can be read from it, which is what `null` says.
    return null;
  }
}
