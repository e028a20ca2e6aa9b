import { expect, test } from 'vitest';
import { StoredResponses } from '../../../sandbox/text/stored-responses.ts';

const MIB = 2 ** 20;

function createItem(length: number) {
  return { role: 'user', content: 'x'.repeat(length) };
}

const LARGE = createItem(5 * MIB);

test('the oldest responses are dropped when they are over 64 MiB together', () => {
  const responses = new StoredResponses();
  const items = [LARGE, LARGE, LARGE];
  for (let at = 0; at < 5; at += 1) responses.add(`resp_${at}`, items);
  expect(() => responses.require('resp_0')).toThrow('not found');
  for (let at = 1; at < 5; at += 1) expect(responses.require(`resp_${at}`)).toBe(items);
});

test.each([
  ['bytes', Array.from({ length: 13 }, () => LARGE)],
  ['items', Array.from({ length: 100_001 }, () => createItem(0))],
])('the newest response is kept, even with more %s than all may have', (_, items) => {
  const responses = new StoredResponses();
  responses.add('resp_small', [createItem(1)]);
  responses.add('resp_large', items);
  expect(() => responses.require('resp_small')).toThrow('not found');
  expect(responses.require('resp_large')).toHaveLength(items.length);
  responses.add('resp_next', [createItem(1)]);
  expect(() => responses.require('resp_large')).toThrow('not found');
  expect(responses.require('resp_next')).toHaveLength(1);
});
