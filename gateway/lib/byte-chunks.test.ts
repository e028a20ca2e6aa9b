import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { ByteChunks } from './byte-chunks.ts';

const pieces = fc.array(fc.uint8Array({ maxLength: 5 }).map((bytes) => Buffer.from(bytes)));

test('a slice has the bytes that the joined pieces have there', () => {
  fc.assert(
    fc.property(pieces, fc.nat(30), fc.nat(30), (chunks, start, end) => {
      const slice = new ByteChunks(chunks).slice(start, end);
      expect(slice).toEqual(Buffer.concat(chunks).subarray(start, Math.max(start, end)));
    }),
  );
});

test('a slice at the end visits no piece before it', () => {
  let visits = 0;
  const chunks = Array.from({ length: 1_000 }, () => {
    const chunk = Buffer.alloc(4, 'a');
    const subarray = (start?: number, end?: number): Buffer => {
      visits += 1;
      return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).subarray(start, end);
    };
    return Object.assign(chunk, { subarray });
  });
  expect(new ByteChunks(chunks).slice(3_990, 3_994).toString()).toBe('aaaa');
  expect(visits).toBe(2);
});
