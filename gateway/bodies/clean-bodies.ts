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
const NO_BYTES = Buffer.alloc(0);

/** Returns a key that exchanges of one run have in common. */
export function toRunKey({
  client,
  conversation,
}: Pick<BatchedExchange, 'client' | 'conversation'>): string {
  return `${client ?? ''}\n${conversation ?? ''}`;
}

/** Decodes the bodies of a batch and masks their secrets. Returns those of each exchange. */
export async function cleanBatch(
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
  const clean = masked.map((bodies, place) => ({
    protocol: exchanges[place]?.step?.protocol ?? null,
    bodies,
  }));
  return await removeDividedSecrets(clean, mask);
}

async function toPlainBody(body: BatchedBody, all: Uint8Array): Promise<CleanBody> {
  const { side, at, headBytes, tailBytes, bytes, contentType, coding, marks } = body;
  const kept = Buffer.from(all.buffer, all.byteOffset + at, headBytes + tailBytes);
  const facts = { side, bytes, contentType, masked: 0 };
  const plain = coding === null ? kept : await decode(kept, coding, tailBytes);
  const parts = plain === null ? null : toParts(plain, coding === null ? tailBytes : 0);
  if (plain === null || parts === null || (kept.length === 0 && bytes > 0)) {
    return { ...facts, head: NO_BYTES, tail: NO_BYTES, binary: true, omitted: 0, eventTimes: null };
  }
  const hasTimes = coding === null && marks.length > 0;
  const eventTimes = !hasTimes ? null : findEventTimes(kept, { headBytes, bytes, marks });
  const total = coding === null ? bytes : plain.length;
  const omitted = total - parts.head.length - parts.tail.length;
  return { ...facts, ...parts, binary: false, omitted, eventTimes };
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

/** Splits a text at its omitted middle, also when it became too long by decoding; `null` when it is binary. */
function toParts(plain: Buffer, tailBytes: number): { head: Buffer; tail: Buffer } | null {
  const isLong = tailBytes === 0 && plain.length > 2 * MAX_PART;
  const tailLength = isLong ? MAX_PART : tailBytes;
  if (tailLength === 0) return isText(plain) ? { head: plain, tail: NO_BYTES } : null;
  const head = plain.subarray(0, isLong ? MAX_PART : plain.length - tailLength);
  const tail = skipPartialCharacter(plain.subarray(plain.length - tailLength));
  if (!isText(head) || !isText(tail)) return null;
  // Copied, because a decoded body would otherwise stay in memory for its parts.
  return { head: Buffer.from(trimEnd(head)), tail: Buffer.from(trimStart(tail)) };
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

/** Skips the rest of a character whose beginning is cut off. */
function skipPartialCharacter(bytes: Buffer): Buffer {
  let start = 0;
  while (start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return bytes.subarray(start);
}
