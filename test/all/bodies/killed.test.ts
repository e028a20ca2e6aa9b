import { expect, test } from 'vitest';
import type { KillPoint } from '../../kit/bodies/kill-at.ts';
import { openKilledFolder } from '../../kit/bodies/killed-folder.ts';

/** Statements that open the file, store, place, index, delete, compress anew, merge and prune. */
const POINTS: readonly KillPoint[] = [
  { text: 'create table if not exists frame', time: 1 },
  { text: 'insert or ignore into exchange', time: 30 },
  { text: 'insert into searched_text (rowid', time: 7 },
  { text: 'set is_placed = 1', time: 2 },
  { text: 'delete from exchange', time: 4 },
  { text: 'update frame set base = null', time: 3 },
  { text: 'delete from frame', time: 2 },
  { text: "values ('merge', ?)", time: 2 },
  { text: 'pragma incremental_vacuum', time: 6 },
];

test.each(POINTS)(
  'killed before statement $time of “$text”, it has whole bodies, and after the next start none that the history lacks',
  async (point) => {
    await using folder = await openKilledFolder();
    const kept = folder.expectAgreement(await folder.run(point));
    expect(await folder.startAgain()).toEqual(await folder.listKnown(kept));
  },
);

test('deleting, pruning and storing at the same time loses nothing else, and the pinned one stays', async () => {
  await using folder = await openKilledFolder();
  const reported = await folder.run(null);
  const [pinned, oldest = 0, ...others] = folder.expectAgreement(reported);
  expect(pinned).toBe(0);
  expect(oldest).toBeGreaterThan(25);
  const length = reported.stored - oldest - 1;
  expect(others).toEqual(Array.from({ length }, (_, at) => oldest + 1 + at));
});
