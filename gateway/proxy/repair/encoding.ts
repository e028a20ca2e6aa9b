import { Duplex, pipeline } from 'node:stream';
import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { Problem } from '../../../shared/problem.ts';

/** One content coding (RFC 9110 section 8.4.1): how to unpack a whole body, and a stream. */
interface Coding {
  unpack(body: Buffer, options: { maxOutputLength: number }): Promise<Buffer>;
  open(first: Buffer): Duplex;
}

const gunzip: Coding = { unpack: promisify(zlib.gunzip), open: () => zlib.createGunzip() };

const CODINGS: ReadonlyMap<string, Coding> = new Map([
  ['gzip', gunzip],
  ['x-gzip', gunzip],
  ['deflate', { unpack: inflateEither, open: openInflate }],
  ['br', { unpack: promisify(zlib.brotliDecompress), open: () => zlib.createBrotliDecompress() }],
  ['zstd', { unpack: promisify(zlib.zstdDecompress), open: () => zlib.createZstdDecompress() }],
]);

/** More codings than this on top of each other are an attack, not a client. */
const MOST_CODINGS = 3;

/**
 * Unpacks a body packed as its `content-encoding` says, several codings in a row included. Throws Problem: body_too_large when
 * it would come to more than `limit` bytes (never holding more), undecodable_body for broken data and unknown codings.
 */
export async function decodeBody(body: Buffer, encoding: string, limit: number): Promise<Buffer> {
  let plain = body;
  for (const coding of codingsOf(encoding)) plain = await unpackBounded(coding, plain, limit);
  return plain;
}

/**
 * A stream that unpacks what is written to it; `null` when nothing is packed, or in a way that is not known here. Broken data
 * destroys it with Problem undecodable_body.
 */
export function decoderFor(encoding: string): Duplex | null {
  const names = namesOf(encoding);
  if (names.length === 0 || names.length > MOST_CODINGS) return null;
  if (names.some((name) => !CODINGS.has(name))) return null;
  const codings = codingsOf(encoding);
  return Duplex.from((source: AsyncIterable<Buffer>) => unpackAll(source, codings));
}

/** The codings to undo, the one applied last first (RFC 9110 section 8.4). */
function codingsOf(encoding: string): Coding[] {
  const names = namesOf(encoding);
  if (names.length > MOST_CODINGS) {
    throw undecodable('The request body is packed too many times. Pack it once, or not at all.');
  }
  return names.toReversed().map((name) => CODINGS.get(name) ?? unknownCoding(name));
}

function namesOf(encoding: string): string[] {
  return encoding
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity');
}

function unknownCoding(name: string): never {
  throw undecodable(
    `The request body is packed as “${name.slice(0, 40)}”, which Gatehouse cannot unpack. Send it as gzip, deflate, br or zstd, or switch request compression off.`,
  );
}

async function unpackBounded(coding: Coding, body: Buffer, limit: number): Promise<Buffer> {
  try {
    return await coding.unpack(body, { maxOutputLength: limit });
  } catch (error) {
    if (isTooLarge(error)) {
      throw new Problem(
        'body_too_large',
        `The request body comes to more than ${Math.floor(limit / 1024 / 1024)} MiB once it is unpacked, the most Gatehouse takes.`,
        { cause: error },
      );
    }
    throw brokenBody(error);
  }
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
    throw error instanceof Error && error.name === 'AbortError' ? error : brokenBody(error);
  }
}

async function* unpackStream(
  source: AsyncIterable<Buffer>,
  coding: Coding,
): AsyncGenerator<Buffer> {
  const chunks = source[Symbol.asyncIterator]();
  const first = await chunks.next();
  if (first.done === true) throw new Error('The packed body is empty.');
  const unpacker = coding.open(first.value);
  // A failure on either side destroys the unpacker, and the loop over it throws.
  pipeline(rejoin(first.value, chunks), unpacker, () => undefined);
  yield* unpacker;
}

async function* rejoin(first: Buffer, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield first;
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
}

const inflate = promisify(zlib.inflate);
const inflateRaw = promisify(zlib.inflateRaw);

/** `deflate` means the zlib format (RFC 9110 section 8.4.1.2), but some clients send it bare. */
async function inflateEither(body: Buffer, options: { maxOutputLength: number }): Promise<Buffer> {
  if (!hasZlibHeader(body)) return inflateRaw(body, options);
  try {
    return await inflate(body, options);
  } catch (error) {
    if (isTooLarge(error)) throw error;
    // Bare data can begin like a zlib header by chance.
    return inflateRaw(body, options);
  }
}

function openInflate(first: Buffer): Duplex {
  return hasZlibHeader(first) ? zlib.createInflate() : zlib.createInflateRaw();
}

/** Method 8 and a check sum that fits (RFC 1950 section 2.2). A lone first byte decides by its method. */
function hasZlibHeader(body: Buffer): boolean {
  const [method = 0, flags] = body;
  return (method & 0x0f) === 8 && (flags === undefined || ((method << 8) | flags) % 31 === 0);
}

function isTooLarge(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
}

function brokenBody(cause: unknown): Problem {
  return undecodable(
    'The request body is not packed as its content-encoding says, or it is cut off. Send it again, or switch request compression off.',
    cause,
  );
}

function undecodable(message: string, cause?: unknown): Problem {
  return new Problem('undecodable_body', message, { cause });
}
