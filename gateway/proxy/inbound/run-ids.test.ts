import { expect, test } from 'vitest';
import { RunIds } from './run-ids.ts';

const CLIENT = { id: 'c1' };

/** Names the run of a session that an agent of another session started. */
const find = (ids: RunIds, conversation: string, parentSession: string | null = null) =>
  ids.find({ client: CLIENT, conversation, parentSession });

test('sessions that agents start are of the run of the first session, in any process', () => {
  const ids = new RunIds();
  const root = find(ids, 's1');
  expect(find(ids, 's2', 's1')).toBe(root);
  expect(find(ids, 's3', 's2')).toBe(root);
  expect(find(ids, 's3')).toBe(root);
  expect(find(new RunIds(), 's1')).toBe(root);
  expect(
    new RunIds().find({ client: { id: 'c2' }, conversation: 's1', parentSession: null }),
  ).not.toBe(root);
});

test('a session whose parent names its own parent later joins that run', () => {
  const ids = new RunIds();
  find(ids, 's3', 's2');
  const root = find(ids, 's1');
  find(ids, 's2', 's1');
  expect(find(ids, 's3', 's2')).toBe(root);
});

test('sessions that name each other as parents have one run', () => {
  const ids = new RunIds();
  const runs = ['a', 'b', 'a', 'b'].map((session) =>
    find(ids, session, session === 'a' ? 'b' : 'a'),
  );
  expect(new Set(runs).size).toBe(1);
});

test('a session that is in use is not forgotten, however many others come', () => {
  const ids = new RunIds();
  const root = find(ids, 's1');
  find(ids, 's2', 's1');
  for (let other = 0; other < 30_000; other += 1) {
    find(ids, `other ${other}`, 'another');
    if (other % 1_000 === 0) expect(find(ids, 's2')).toBe(root);
  }
});
