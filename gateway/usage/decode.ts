import { decodeBody } from '../http/content-coding.ts';
import type { MemoryAllocator } from '../lib/memory-budget.ts';

/** Bounded, because a small body can expand enormously. */
const MAX_BYTES = 32 * 1024 * 1024;

/**
 * Undoes a `content-encoding`, which may list several codings (RFC 9110, 8.4). Resolves with `null` for an unknown coding, a
 * damaged body, and one that would exceed 32 MiB or the available memory.
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
    // Damaged or too large: `null` says that nothing can be read.
    return null;
  }
}
