import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import {
  findMatchingKey,
  hashLocalKey,
  createLocalKey,
  KeyDigests,
  maskLocalKeys,
} from './local-key.ts';

const keys = [1, 2, 3].map(() => createLocalKey(randomBytes));
const hashes = keys.map(hashLocalKey);

test('a local key consists of gh- and 43 base64url characters', () => {
  expect(keys[0]).toMatch(/^gh-[A-Za-z0-9_-]{43}$/u);
});

test('the valid local key is found among several candidates', () => {
  expect(findMatchingKey(['', 'wrong', keys[2] ?? ''], hashes)).toEqual({ candidate: 2, hash: 2 });
});

test('the first valid local key takes precedence', () => {
  expect(findMatchingKey([keys[1] ?? '', keys[0] ?? ''], hashes)).toEqual({
    candidate: 0,
    hash: 1,
  });
});

test('a missing, empty, sample or too long key matches no client', () => {
  const wrong = ['', 'gh-', 'sk-local', 'x'.repeat(10_000), `${keys[0]}\u0000`, ` ${keys[0]}`];
  expect(findMatchingKey(wrong, hashes)).toBeNull();
  expect(findMatchingKey(wrong, [])).toBeNull();
  expect(findMatchingKey([''], [hashLocalKey('')])).toBeNull();
});

test('the stored form of a key is the same whether it is remembered or not, also of more keys than are', () => {
  const digests = new KeyDigests();
  for (let round = 0; round < 3; round += 1) {
    for (let index = 0; index < 100; index += 1) {
      const key = `key ${index}`;
      expect(digests.of(key)).toEqual(hashLocalKey(key));
      digests.remember(key);
      expect(digests.of(key)).toEqual(hashLocalKey(key));
    }
  }
});

test('a local key is masked anywhere in a text', () => {
  const key = createLocalKey((size) => new Uint8Array(size).fill(7));
  expect(maskLocalKeys(`agent/1.0 (${key}) gh-short`)).toBe('agent/1.0 (<local key>) gh-short');
});
