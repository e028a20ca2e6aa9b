import { expect, test } from 'vitest';
import { readDatabaseSize } from '../../../gateway/history/history.ts';
import { anExchange } from '../../kit/history/an-exchange.ts';
import { NOON, openHistoryFolder } from '../../kit/history/history-folder.ts';
import { ALL_SERVICES } from '../../kit/history/usage-query.ts';

const MIB = 2 ** 20;

function large(at: number) {
  return anExchange(`e${at}`, {
    startedAt: NOON - 100_000 + at,
    errorMessage: `${at} `.padEnd(500, 'x'),
    pathReceived: `/v1/${at}`.padEnd(900, 'p'),
  });
}

test('the oldest exchanges are deleted with their sums when the database exceeds its limit', async () => {
  let bytes = 500 * MIB;
  await using folder = await openHistoryFolder({
    getRetention: () => ({ days: 90, headersDays: 7, bytes }),
  });
  const { history, store } = folder;
  for (let at = 0; at < 3_000; at += 1) history.record(large(at));
  await history.flush();
  bytes = 12 * MIB;
  expect((await readDatabaseSize(store.db)).file).toBeGreaterThan(bytes);
  for (let at = 3_000; at < 4_000; at += 1) history.record(large(at));
  await history.flush();
  await expect.poll(async () => (await readDatabaseSize(store.db)).file).toBeLessThanOrEqual(bytes);
  const left = await history.list({ limit: 10_000 });
  expect(left[0]?.id).toBe('e3999');
  expect(left.at(-1)?.id).toBe(`e${4_000 - left.length}`);
  expect(left.length).toBeGreaterThanOrEqual(100);
  const [day] = await history.usage('day', ALL_SERVICES);
  expect(day?.exchanges).toBe(left.length);
  expect(folder.logged).toContain(
    'Exchanges were deleted to keep the database within its size limit.',
  );
});

test('the newest hundred are kept, whatever else uses the space', async () => {
  await using folder = await openHistoryFolder({
    getRetention: () => ({ days: 90, headersDays: 7, bytes: 1 }),
  });
  const { history } = folder;
  for (let at = 0; at < 1_200; at += 1) history.record(large(at));
  await history.flush();
  await history.prune();
  const left = await history.list({ limit: 10_000 });
  expect(left).toHaveLength(100);
  expect(left.at(-1)?.id).toBe('e1100');
});
