import { Duplex, pipeline } from 'node:stream';
import { pipeline as pipelined } from 'node:stream/promises';
import zlib from 'node:zlib';
import { Problem } from '../../shared/problem.ts';
import { GrowingBuffer } from '../lib/growing-buffer.ts';
import type { MemoryAllocator } from '../lib/memory-budget.ts';

/** Opens what unpacks one content coding (RFC 9110 section 8.4.1); `first` is the beginning of what is packed. */
type Coding = (first: Buffer) => Duplex;

/** The largest window that a sender may use (RFC 9659), as a power of two: 8 MiB. A larger one would take its memory at once. */
const ZSTD_WINDOW = { params: { [zlib.constants.ZSTD_d_windowLogMax]: 23 } };

const CODINGS: ReadonlyMap<string, Coding> = new Map([
  ['gzip', () => zlib.createGunzip()],
  ['x-gzip', () => zlib.createGunzip()],
  ['deflate', openInflate],
  ['br', () => zlib.createBrotliDecompress()],
  ['zstd', () => zlib.createZstdDecompress(ZSTD_WINDOW)],
]);

/** How much may come of a body that is unpacked, and what counts it. */
export interface DecodeLimits {
  readonly bytes: number;
  readonly memory: MemoryAllocator;
}

/** More codings than this on top of each other are an attack, not a client. */
const MAX_CODINGS = 3;

/**
 * Unpacks a body packed as its `content-encoding` says, several codings in a row included, and stops as soon as a limit is reached.
 * Throws Problem: body_too_large when it would come to more than `bytes`, memory_full when there is no room for it,
 * undecodable_body for broken data and unknown codings. What it takes of `memory` stays taken.
 */
export async function decodeBody(
  body: Buffer,
  encoding: string,
  limits: DecodeLimits,
): Promise<Buffer> {
  let plain = body;
  for (const coding of parseCodings(encoding)) plain = await decodeBounded(coding, plain, limits);
  return plain;
}

/**
 * A stream that unpacks what is written to it; `null` when nothing is packed, or in a way that is not known here. Broken data
 * destroys it with Problem undecodable_body.
 */
export function decoderFor(encoding: string): Duplex | null {
  const names = parseCodingNames(encoding);
  if (names.length === 0 || names.length > MAX_CODINGS) return null;
  if (names.some((name) => !CODINGS.has(name))) return null;
  const codings = parseCodings(encoding);
  return Duplex.from((source: AsyncIterable<Buffer>) => unpackAll(source, codings));
}

/** The codings to undo, the one applied last first (RFC 9110 section 8.4). */
function parseCodings(encoding: string): Coding[] {
  const names = parseCodingNames(encoding);
  if (names.length > MAX_CODINGS) {
    throw undecodableProblem(
      'The request body is compressed too many times. Compress it once, or not at all.',
    );
  }
  return names.toReversed().map((name) => CODINGS.get(name) ?? throwUnknownCoding(name));
}

function parseCodingNames(encoding: string): string[] {
  return encoding
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity');
}

function throwUnknownCoding(name: string): never {
  throw undecodableProblem(
    `The request body is compressed as “${name.slice(0, 40)}”, which Gatehouse cannot decompress. Use gzip, deflate, br or zstd, or turn request compression off.`,
  );
}

async function decodeBounded(coding: Coding, body: Buffer, limits: DecodeLimits): Promise<Buffer> {
  try {
    return await decode(coding(body), body, limits);
  } catch (error) {
    if (error instanceof Problem) throw error;
    // Bare deflate data can begin like a zlib header by chance.
    if (coding === openInflate && hasZlibHeader(body)) {
      return await decodeBounded(() => zlib.createInflateRaw(), body, limits);
    }
    throw brokenBodyProblem(error);
  }
}

async function decode(
  unpacker: Duplex,
  body: Buffer,
  { bytes: maxBytes, memory }: DecodeLimits,
): Promise<Buffer> {
  if (body.length === 0) throw new Error('The compressed body is empty.');
  const plain = new GrowingBuffer({ memory, maxBytes });
  await pipelined([body], unpacker, async (chunks: AsyncIterable<Buffer>) => {
    for await (const chunk of chunks) {
      if (plain.length + chunk.length > maxBytes) throw tooLargeProblem(maxBytes);
      if (!plain.tryPush(chunk)) throw memory.full();
    }
  });
  return plain.bytes;
}

function tooLargeProblem(maxBytes: number): Problem {
  return new Problem(
    'body_too_large',
    `The request body is larger than ${Math.floor(maxBytes / 1024 / 1024)} MiB after decompression, the maximum.`,
  );
}

async function* unpackAll(
  source: AsyncIterable<Buffer>,
  codings: readonly Coding[],
): AsyncGenerator<Buffer> {
  let packed = source;
  for (const coding of codings) packed = unpackStream(packed, coding);
  try {
    yield* packed;
  } catch (error) {
    // The writer ended it: nothing is wrong with the data.
    throw error instanceof Error && error.name === 'AbortError' ? error : brokenBodyProblem(error);
  }
}

async function* unpackStream(
  source: AsyncIterable<Buffer>,
  coding: Coding,
): AsyncGenerator<Buffer> {
  const chunks = source[Symbol.asyncIterator]();
  const first = await chunks.next();
  if (first.done === true) throw new Error('The compressed body is empty.');
  const unpacker = coding(first.value);
  // A failure on either side destroys the unpacker, and the loop over it throws.
  pipeline(rejoin(first.value, chunks), unpacker, () => undefined);
  yield* unpacker;
}

async function* rejoin(first: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
}

/** `deflate` means the zlib format (RFC 9110 section 8.4.1.2), but some clients send it bare. */
function openInflate(first: Buffer): Duplex {
  return hasZlibHeader(first) ? zlib.createInflate() : zlib.createInflateRaw();
}

/** Method 8 and a check sum that fits (RFC 1950 section 2.2). A lone first byte decides by its method. */
function hasZlibHeader(body: Buffer): boolean {
  const [method = 0, flags] = body;
  return (method & 0x0f) === 8 && (flags === undefined || ((method << 8) | flags) % 31 === 0);
}

function brokenBodyProblem(cause: unknown): Problem {
  return undecodableProblem(
    'The request body is not compressed as its content-encoding says, or it is incomplete. Send it again, or turn request compression off.',
    cause,
  );
}

function undecodableProblem(message: string, cause?: unknown): Problem {
  return new Problem('undecodable_body', message, { cause });
}
