import { decodeBody } from '../http/content-coding.ts';
import { MemoryBudget } from '../lib/memory-budget.ts';
import { isText } from './captured-body.ts';
import type { CleanBody } from './clean-body.ts';
import { removeDividedSecrets } from './secrets/divided-secrets.ts';
import { findEventTimes } from './event-times.ts';
import type { SecretMask } from './secrets/secret-mask.ts';
import type { BatchedBody, BatchedExchange, Batch } from './protocol.ts';

/** Decoded bodies may be larger than what passed; one of more than two parts is cut in the middle like any other body. */
const MAX_DECODED = 16 * 2 ** 20;
const MAX_PART = 512 * 1024;
/** A secret that the cut divides could not be found, so the text at a cut is removed up to a character that no key has. */
const KEY_LENGTH = 512;
const KEY_END = /\S*$/;
const KEY_START = /^\S*/;
/** A private key has several lines, and is recognised by its first and its last one. */
const PRIVATE_KEY_LENGTH = 8 * 1024;
const PRIVATE_KEY_START = '-----BEGIN ';
const PRIVATE_KEY_END = '-----END ';
/** A key that a model writes is divided among events, so as much is removed of a stream at a cut, in whole events. */
const EVENTS_LENGTH = 32 * 1024;
const EVENT_END = /\n\r?\n/gu;
const EVENT_STREAM = /^\s*text\/event-stream\b/iu;
const NO_BYTES = Buffer.alloc(0);

/** Returns a key that exchanges of one run have in common. */
export function toRunKey({
  client,
  conversation,
}: Pick<BatchedExchange, 'client' | 'conversation'>): string {
  return `${client ?? ''}\n${conversation ?? ''}`;
}

/**
 * Decodes the bodies of a batch and masks their secrets. Returns those of each exchange; an exchange whose bodies cannot be searched
 * has the error in their place.
 */
export async function cleanBatch(
  batch: Omit<Batch, 'exchanges'>,
  exchanges: readonly BatchedExchange[],
  mask: SecretMask,
): Promise<readonly (readonly CleanBody[] | Error)[]> {
  try {
    return await cleanTogether(batch, exchanges, mask);
  } catch (error) {
    if (exchanges.length === 1) return [error instanceof Error ? error : new Error(String(error))];
    const cleaned: (readonly CleanBody[] | Error)[] = [];
    for (const one of exchanges) cleaned.push(...(await cleanBatch(batch, [one], mask)));
    return cleaned;
  }
}

async function cleanTogether(
  { bytes, secrets }: Omit<Batch, 'exchanges'>,
  exchanges: readonly BatchedExchange[],
  mask: SecretMask,
): Promise<readonly (readonly CleanBody[])[]> {
  const decoded: { run: string; bodies: CleanBody[] }[] = [];
  for (const exchange of exchanges) {
    const { bodies } = exchange;
    const run = toRunKey(exchange);
    const plain: CleanBody[] = [];
    for (const body of bodies) plain.push(await toPlainBody(body, bytes));
    decoded.push({ run, bodies: plain });
  }
  const masked = await mask.maskAll(decoded, secrets);
  return await removeDividedSecrets(masked, mask);
}

async function toPlainBody(body: BatchedBody, all: Uint8Array): Promise<CleanBody> {
  const { side, at, headBytes, tailBytes, bytes, contentType, coding, marks } = body;
  const kept = Buffer.from(all.buffer, all.byteOffset + at, headBytes + tailBytes);
  const plain = coding === null ? kept : await decode(kept, coding, tailBytes);
  const isStream = marks.length > 0 || EVENT_STREAM.test(contentType ?? '');
  const parts =
    plain === null
      ? null
      : toParts(plain, { tailBytes: coding === null ? tailBytes : 0, isStream });
  if (plain === null || parts === null || (kept.length === 0 && bytes > 0)) {
    return toEmptyBody(body);
  }
  const hasTimes = coding === null && marks.length > 0;
  const eventTimes = hasTimes ? findTimes(parts, { bytes, marks }) : null;
  const total = coding === null ? bytes : plain.length;
  const omitted = total - parts.head.length - parts.tail.length;
  return { side, bytes, contentType, masked: 0, ...parts, binary: false, omitted, eventTimes };
}

function toEmptyBody({ side, bytes, contentType }: BatchedBody): CleanBody {
  const parts = { head: NO_BYTES, tail: NO_BYTES, binary: true, omitted: 0, eventTimes: null };
  return { side, bytes, contentType, masked: 0, ...parts };
}

/** Decodes a body; `null` when it is incomplete, or cannot be decoded. */
async function decode(kept: Buffer, coding: string, tailBytes: number): Promise<Buffer | null> {
  if (tailBytes > 0) return null;
  const memory = new MemoryBudget(2 * MAX_DECODED).open();
  try {
    return await decodeBody(kept, coding, { bytes: MAX_DECODED, memory });
  } catch {
    return null;
  } finally {
    memory.release();
  }
}

interface Parts {
  readonly head: Buffer;
  readonly tail: Buffer;
}

function findTimes({ head, tail }: Parts, passed: Pick<BatchedBody, 'bytes' | 'marks'>): number[] {
  const shown = tail.length === 0 ? head : Buffer.concat([head, tail]);
  return findEventTimes(shown, { ...passed, headBytes: head.length });
}

/** Splits a text at its omitted middle, also when it became too long by decoding; `null` when it is binary. */
function toParts(
  plain: Buffer,
  { tailBytes, isStream }: { readonly tailBytes: number; readonly isStream: boolean },
): Parts | null {
  const isLong = tailBytes === 0 && plain.length > 2 * MAX_PART;
  const tailLength = isLong ? MAX_PART : tailBytes;
  if (tailLength === 0) return isText(plain) ? { head: plain, tail: NO_BYTES } : null;
  const head = plain.subarray(0, isLong ? MAX_PART : plain.length - tailLength);
  const tail = skipPartialCharacter(plain.subarray(plain.length - tailLength));
  if (!isText(head) || !isText(tail)) return null;
  const before = dropPartialCharacter(isStream ? dropLastEvents(trimEnd(head)) : trimEnd(head));
  const after = skipPartialCharacter(isStream ? skipFirstEvents(trimStart(tail)) : trimStart(tail));
  // Copied, because a decoded body would otherwise stay in memory for its parts.
  return { head: Buffer.from(before), tail: Buffer.from(after) };
}

/** Drops the events at the end of a stream; nothing when it is one event, which has its text in one piece. */
function dropLastEvents(head: Buffer): Buffer {
  const before = head.toString('latin1', 0, head.length - EVENTS_LENGTH);
  const end = Math.max(before.lastIndexOf('\n\n'), before.lastIndexOf('\n\r\n'));
  return end === -1 ? head : head.subarray(0, before.indexOf('\n', end + 1) + 1);
}

/** Skips the events at the beginning of the end of a stream; nothing when it has the end of one event only. */
function skipFirstEvents(tail: Buffer): Buffer {
  EVENT_END.lastIndex = EVENTS_LENGTH;
  const found = EVENT_END.exec(tail.toString('latin1'));
  return found === null ? tail : tail.subarray(found.index + found[0].length);
}

function trimEnd(head: Buffer): Buffer {
  const end = KEY_END.exec(head.toString('latin1', head.length - KEY_LENGTH))?.[0] ?? '';
  const trimmed = head.subarray(0, head.length - end.length);
  const key = trimmed.lastIndexOf(PRIVATE_KEY_START);
  const isCut =
    key >= trimmed.length - PRIVATE_KEY_LENGTH && !trimmed.includes(PRIVATE_KEY_END, key);
  return key !== -1 && isCut ? trimmed.subarray(0, key) : trimmed;
}

function trimStart(tail: Buffer): Buffer {
  const start = KEY_START.exec(tail.toString('latin1', 0, KEY_LENGTH))?.[0] ?? '';
  const trimmed = tail.subarray(start.length);
  const end = trimmed.indexOf(PRIVATE_KEY_END);
  const next = trimmed.indexOf(PRIVATE_KEY_START);
  const isCut = end !== -1 && end < PRIVATE_KEY_LENGTH && (next === -1 || next > end);
  return isCut ? trimmed.subarray(end) : trimmed;
}

/** Drops the beginning of a character whose rest is cut off. */
function dropPartialCharacter(bytes: Buffer): Buffer {
  for (let back = 1; back <= 3 && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return length > back ? bytes.subarray(0, bytes.length - back) : bytes;
  }
  return bytes;
}

/** Skips the rest of a character whose beginning is cut off. */
function skipPartialCharacter(bytes: Buffer): Buffer {
  let start = 0;
  while (start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return bytes.subarray(start);
}
