import { expect, test } from 'vitest';
import * as fc from 'fast-check';
import { parseServiceKey, InvalidKeyError } from './service-key.ts';

test.each([
  'sk-live-0123456789',
  '  sk-live-0123456789\n',
  '"sk-live-0123456789"',
  'Bearer sk-live-0123456789',
  'bearer Bearer sk-live-0123456789',
  'Authorization: Bearer sk-live-0123456789',
  'x-api-key: sk-live-0123456789',
  '\ufeffsk-live-0123456789\r\n',
])('%j is parsed as the key itself', (pasted) => {
  expect(parseServiceKey(pasted)).toBe('sk-live-0123456789');
});

test.each([
  ['', 'No key'],
  ['  \n', 'No key'],
  ['Bearer ', 'No key'],
  ['sk-live\nsk-other', 'one line'],
  ['sk live', 'visible ASCII'],
  ['sk-lïve', 'visible ASCII'],
  ['abc', 'too short'],
  [`gh-${'k'.repeat(43)}`, 'local key of Gatehouse'],
  [`Bearer gh-${'k'.repeat(43)}`, 'local key of Gatehouse'],
  ['k'.repeat(1_281), 'at most 1,280'],
])('%j is rejected: %s', (pasted, reason) => {
  expect(() => parseServiceKey(pasted)).toThrow(reason);
});

test('the longest key is accepted', () => {
  expect(parseServiceKey('k'.repeat(1_280))).toHaveLength(1_280);
});

test('a service key is either parsed as visible ASCII or rejected without repeating it', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 12 }), (text) => {
      try {
        expect(parseServiceKey(text)).toMatch(/^[\x21-\x7e]{4,1280}$/u);
      } catch (error) {
        expect(error).toBeInstanceOf(InvalidKeyError);
        expect(String(error)).not.toContain(text);
      }
    }),
  );
});
