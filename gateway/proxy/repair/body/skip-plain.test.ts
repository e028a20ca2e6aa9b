import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSkipPlain } from './skip-plain.ts';

/** The offset of the first byte from `at` on that ends a string, begins an escape or is not allowed in a string. */
function findSpecial(body: Buffer, at: number): number {
  const found = body.findIndex(
    (byte, index) => index >= at && (byte < 0x20 || byte === 0x22 || byte === 0x5c),
  );
  return found === -1 ? body.length : found;
}

test('no special byte is skipped, at any place and any alignment', () => {
  const rare = fc.oneof(
    { weight: 40, arbitrary: fc.integer({ min: 0x23, max: 0x5b }) },
    { weight: 4, arbitrary: fc.constantFrom(0x20, 0x21, 0x5d, 0x7f, 0x80, 0xa2, 0xdc, 0xff) },
    { weight: 1, arbitrary: fc.constantFrom(0x00, 0x01, 0x1f, 0x22, 0x5c) },
  );
  const bytes = fc.array(rare, { minLength: 300, maxLength: 400 });
  fc.assert(
    fc.property(bytes, fc.nat(7), ([...values], offset) => {
      const body = Buffer.from([...Array<number>(offset).fill(0x22), ...values]).subarray(offset);
      const skip = createSkipPlain(body);
      for (let at = 0; at <= body.length; at += 1) {
        const after = skip(at);
        expect(after).toBeGreaterThanOrEqual(at);
        expect(after).toBeLessThanOrEqual(findSpecial(body, at));
      }
    }),
    { numRuns: 50 },
  );
});

test('every byte beside three ordinary ones is told apart', () => {
  for (let byte = 0; byte < 256; byte += 1) {
    const isSpecial = byte < 0x20 || byte === 0x22 || byte === 0x5c;
    for (let place = 0; place < 4; place += 1) {
      const body = Buffer.alloc(1024, 'a');
      const first = (4 - (body.byteOffset % 4)) % 4;
      body[first + 512 + place] = byte;
      const end = createSkipPlain(body)(first);
      if (isSpecial) expect(end).toBe(first + 512);
      else expect(end).toBeGreaterThan(first + 512);
    }
  }
});
