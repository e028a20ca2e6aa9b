import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import zlib from 'node:zlib';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Problem } from '../../shared/problem.ts';
import { decodeBody, decoderFor } from './content-coding.ts';
import { MemoryBudget } from '../lib/memory-budget.ts';

const LIMIT = 1024 * 1024;
const TEXT = Buffer.from(JSON.stringify({ model: 'acme/one', messages: ['ü'.repeat(5000)] }));

const limits = (bytes: number) => ({ bytes, memory: new MemoryBudget(1024 ** 3).open() });

type Pack = (plain: Buffer) => Buffer;
const PACKS: readonly (readonly [string, Pack])[] = [
  ['gzip', zlib.gzipSync],
  ['x-gzip', zlib.gzipSync],
  ['GZip', zlib.gzipSync],
  ['deflate', zlib.deflateSync],
  ['deflate', zlib.deflateRawSync],
  ['br', zlib.brotliCompressSync],
  ['zstd', zlib.zstdCompressSync],
  ['gzip, br', (plain) => zlib.brotliCompressSync(zlib.gzipSync(plain))],
  [' zstd ,identity, deflate', (plain) => zlib.deflateSync(zlib.zstdCompressSync(plain))],
];

async function codeOf(work: Promise<unknown>): Promise<string> {
  const error: unknown = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  return error instanceof Problem ? error.code : `no Problem: ${String(error)}`;
}

async function streamed(encoding: string, packed: Buffer, size = 100): Promise<Buffer> {
  const decoder = decoderFor(encoding);
  if (decoder === null) return packed;
  const pieces = Array.from({ length: Math.ceil(packed.length / size) }, (_, index) =>
    packed.subarray(index * size, (index + 1) * size),
  );
  const [plain] = await Promise.all([buffer(decoder), pipeline(Readable.from(pieces), decoder)]);
  return plain;
}

describe.each(PACKS)('A body compressed with %s', (encoding, pack) => {
  test('is decompressed completely', async () => {
    expect(await decodeBody(pack(TEXT), encoding, limits(LIMIT))).toEqual(TEXT);
  });

  test('is decompressed as a stream, even byte by byte', async () => {
    expect(await streamed(encoding, pack(TEXT))).toEqual(TEXT);
    expect(await streamed(encoding, pack(TEXT), 1)).toEqual(TEXT);
  });

  test('is rejected when it decompresses to more than the limit, and buffered no further', async () => {
    const bomb = pack(Buffer.alloc(32 * LIMIT));
    expect(bomb.length).toBeLessThan(LIMIT);
    expect(await codeOf(decodeBody(bomb, encoding, limits(LIMIT)))).toBe('body_too_large');
    expect(await decodeBody(pack(TEXT), encoding, limits(TEXT.length))).toEqual(TEXT);
  });

  test('is rejected when it is truncated or invalid', async () => {
    const packed = pack(TEXT);
    const cut = packed.subarray(0, packed.length - 12);
    expect(await codeOf(decodeBody(cut, encoding, limits(LIMIT)))).toBe('undecodable_body');
    expect(await codeOf(streamed(encoding, cut))).toBe('undecodable_body');
    expect(await codeOf(decodeBody(TEXT, encoding, limits(LIMIT)))).toBe('undecodable_body');
    expect(await codeOf(streamed(encoding, TEXT))).toBe('undecodable_body');
    expect(await codeOf(decodeBody(Buffer.alloc(0), encoding, limits(LIMIT)))).toBe(
      'undecodable_body',
    );
  });
});

test.each(PACKS)(
  'a body compressed with %s is decompressed only as far as the limit allows',
  async (encoding, pack) => {
    const budget = new MemoryBudget(2 * LIMIT);
    const memory = budget.open();
    const bomb = pack(Buffer.alloc(60 * LIMIT));
    expect(await codeOf(decodeBody(bomb, encoding, { bytes: 64 * LIMIT, memory }))).toBe(
      'memory_full',
    );
    expect(budget.held).toBeLessThanOrEqual(budget.share);
    memory.release();
    expect(budget.held).toBe(0);
  },
);

test('an uncompressed body is returned unchanged', async () => {
  for (const encoding of ['', 'identity', ' Identity , ']) {
    expect(await decodeBody(TEXT, encoding, limits(LIMIT))).toBe(TEXT);
    expect(decoderFor(encoding)).toBeNull();
  }
});

test('an unknown coding is rejected with a list of the known ones', async () => {
  await expect(decodeBody(TEXT, 'compress', limits(LIMIT))).rejects.toThrow(
    'compressed as “compress”, which Gatehouse cannot decompress. Use gzip, deflate, br or zstd',
  );
  expect(decoderFor('gzip, lzma')).toBeNull();
  expect(await codeOf(decodeBody(TEXT, 'gzip, gzip, gzip, gzip', limits(LIMIT)))).toBe(
    'undecodable_body',
  );
});

test('a writer that aborts ends the stream with its own reason', async () => {
  const decoder = decoderFor('gzip');
  if (decoder === null) throw new Error('There has to be a decoder.');
  decoder.write(zlib.gzipSync(TEXT).subarray(0, 20));
  decoder.resume();
  const left = once(decoder, 'error');
  decoder.destroy(new Error('The client disconnected.'));
  expect(await left).toMatchObject([{ message: 'The client disconnected.' }]);
});

test('a slow reader pauses the writer', async () => {
  const decoder = decoderFor('gzip');
  if (decoder === null) throw new Error('There has to be a decoder.');
  const packed = zlib.gzipSync(randomBytes(3_000_000));
  let taken = 0;
  const source = Readable.from(
    (function* () {
      for (let at = 0; at < packed.length; at += 16_384) {
        taken += 1;
        yield packed.subarray(at, at + 16_384);
      }
    })(),
  );
  source.pipe(decoder);
  await once(decoder, 'readable');
  expect(taken).toBeLessThan(packed.length / 16_384);
  expect((await buffer(decoder)).length).toBe(3_000_000);
});

test('random bytes are either decompressed or rejected', async () => {
  const encoding = fc.constantFrom('gzip', 'deflate', 'br', 'zstd');
  await fc.assert(
    fc.asyncProperty(encoding, fc.uint8Array(), async (name, bytes) => {
      const body = Buffer.from(bytes);
      const outcome = await decodeBody(body, name, limits(LIMIT)).catch((error: unknown) => error);
      expect(Buffer.isBuffer(outcome) || outcome instanceof Problem).toBe(true);
    }),
  );
});
