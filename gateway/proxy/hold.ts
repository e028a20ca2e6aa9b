import { decodeBody } from '../content-coding.ts';
import type { Room } from '../memory-budget.ts';
import { header } from './hop.ts';
import type { Incoming } from './send.ts';

/** The most that is held of an answer in order to look at it, in bytes, and how long it is waited for: an error may come without an end. */
export interface Hold {
  readonly bytes: number;
  readonly ms: number;
}

export const HOLD_ERROR: Hold = { bytes: 64 * 1024, ms: 2_000 };
export const HOLD_LIST: Hold = { bytes: 16 * 1024 * 1024, ms: 60_000 };

/**
 * Takes in a short body, decoded, and puts it back to be read again; `null` when it is too long, cannot be decoded, or there is
 * no room for it.
 * Rejects when the body breaks off.
 */
export async function holdPlain(
  { body, headers }: Incoming,
  hold: Hold,
  memory: Room,
): Promise<Buffer | null> {
  const { bytes, ended } = await body.collect(hold, memory);
  body.putBack(bytes);
  if (!ended) return null;
  const coding = header(headers, 'content-encoding');
  if (coding === undefined) return bytes;
  try {
    return await decodeBody(bytes, coding, { bytes: hold.bytes, memory });
  } catch {
    // What we cannot read is for the client to judge.
    return null;
  }
}
