import { expect, test } from 'vitest';
import { findInJson, MAX_JSON_MATCHES } from './find-in-json.ts';

const REQUEST = {
  model: 'aurora/large',
  messages: [
    { role: 'user', content: 'Read the file' },
    { role: 'assistant', content: [{ type: 'text', text: 'I READ it' }] },
  ],
  'x-read': { deep: true, when: 1 },
  limit: 10,
};

test('values are found by their content and their names, in their order, with paths', () => {
  expect(findInJson(REQUEST, 'read')).toEqual([
    { path: '.messages[0].content', shown: 'Read the file' },
    { path: '.messages[1].content[0].text', shown: 'I READ it' },
    { path: '.["x-read"]', shown: '{ deep, when }' },
  ]);
  expect(findInJson(REQUEST, 'messages')).toEqual([{ path: '.messages', shown: '[ 2 ]' }]);
  expect(findInJson(REQUEST, 'true')).toEqual([{ path: '.["x-read"].deep', shown: 'true' }]);
  expect(findInJson([['one']], 'one')).toEqual([{ path: '.[0][0]', shown: 'one' }]);
  expect(findInJson(REQUEST, 'nowhere')).toEqual([]);
});

test('a long value is cut around the match, and there is an end to matches', () => {
  const [match] = findInJson({ text: `${'a'.repeat(5_000)}here${'b'.repeat(5_000)}` }, 'HERE');
  expect(match?.shown).toMatch(/^…a{40}hereb{156}…$/u);
  expect(findInJson(Array(1_000).fill('x'), 'x')).toHaveLength(MAX_JSON_MATCHES);
});

test('a body may have very many values, and nest them deeper than calls; a path that is too long is left out', () => {
  const depth = 50_000;
  const nested: unknown = JSON.parse(`["x"${',["x"'.repeat(depth)}${']'.repeat(depth)}]`);
  expect(findInJson(nested, 'x')).toHaveLength(MAX_JSON_MATCHES);
  const deep: unknown = JSON.parse(`[${'['.repeat(depth)}"x"${']'.repeat(depth)},"x"]`);
  expect(findInJson(deep, 'x')).toEqual([{ path: '.[1]', shown: 'x' }]);
  const long = [...Array<number>(500_000).fill(0), 'here'];
  expect(findInJson(long, 'here')).toEqual([{ path: '.[500000]', shown: 'here' }]);
});
