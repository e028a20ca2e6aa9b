import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findIndexDamage, openHistory } from '../../../gateway/history/history.ts';
import { runUnprotectedSql, countRows } from '../../kit/disk/corrupt-files.ts';
import { anExchange } from '../../kit/history/an-exchange.ts';
import { type HistoryFolder, NOON, openHistoryFolder } from '../../kit/history/history-folder.ts';
import { ALL_SERVICES } from '../../kit/history/usage-query.ts';

/** Kinds of damage to the search index; SQLite's own checks do not find all of them. */
const DAMAGE = [
  'drop table exchange_text',
  'drop table exchange_word',
  'drop table exchange_index',
  'drop table exchange_text; drop table exchange_word; drop table exchange_index',
  'drop table exchange_text_data',
  'drop table exchange_text_idx',
  'drop table exchange_text_docsize',
  'delete from exchange_text_data',
  'delete from exchange_text_data where id = 1',
  `update exchange_text_data set block = x'00' where id = 10`,
];

function exchanges(name: string, count: number) {
  return Array.from({ length: count }, (_, at) =>
    anExchange(`${name}-${at}`, { startedAt: NOON + at, conversation: name }),
  );
}

async function found({ history }: Pick<HistoryFolder, 'history'>, word: string): Promise<number> {
  return await history.count({ text: word }, 10_000);
}

test.each(DAMAGE)(
  'exchanges are stored and found when the search index is damaged meanwhile: %s',
  async (sql) => {
    await using folder = await openHistoryFolder();
    await folder.record(...exchanges('yak', 300));
    await runUnprotectedSql(join(folder.dataDir, 'gatehouse.db'), sql);
    await folder.record(...exchanges('zebra', 300));
    expect(folder.history.dropped).toBe(0);
    expect(await found(folder, 'yak')).toBe(300);
    expect(await found(folder, 'zebra')).toBe(300);
    const [sums] = await folder.history.usage('day', ALL_SERVICES);
    expect(sums).toMatchObject({ exchanges: 600 });
    expect(await folder.history.erase()).toBe(600);
  },
);

test.each(DAMAGE)('a start rebuilds a damaged search index: %s', async (sql) => {
  await using folder = await openHistoryFolder();
  await folder.record(...exchanges('yak', 300));
  await folder.history.close();
  await runUnprotectedSql(join(folder.dataDir, 'gatehouse.db'), sql);
  const logged: string[] = [];
  const again = openHistory({
    store: folder.store,
    now: () => NOON,
    redact: String,
    log: (_level, message) => logged.push(message),
    getRetention: () => ({ days: 90, headersDays: 7 }),
  });
  for (const one of exchanges('zebra', 300)) again.record(one);
  await again.flush();
  expect(again.dropped).toBe(0);
  expect(await found({ history: again }, 'yak')).toBe(300);
  expect(await found({ history: again }, 'zebra')).toBe(300);
  // Without its own table the index looks as if it had never been created.
  if (!sql.includes('drop table exchange_index')) expect(logged.join()).toContain('being rebuilt');
  await again.close();
});

test.each(DAMAGE)('exchanges are erased when the search index is damaged: %s', async (sql) => {
  await using folder = await openHistoryFolder();
  await folder.record(...exchanges('yak', 300));
  await runUnprotectedSql(join(folder.dataDir, 'gatehouse.db'), sql);
  await folder.history.erase();
  expect(await folder.history.list({ limit: 1 })).toEqual([]);
  await folder.record(...exchanges('zebra', 3));
  expect(await found(folder, 'zebra')).toBe(3);
  expect(await found(folder, 'yak')).toBe(0);
});

test('an intact search index is not changed', async () => {
  await using folder = await openHistoryFolder();
  await folder.record(anExchange('streamed'), anExchange('whole', { streamed: false }));
  await folder.history.close();
  expect(await findIndexDamage(folder.store, 'writing')).toBeNull();
  expect(await findIndexDamage(folder.store, 'reading')).toBeNull();
  expect(countRows(folder.dataDir, 'gatehouse.db', 'exchange_text')).toBe(2);
  expect(folder.logged).toEqual([]);
});

test('an index that is damaged repeatedly is no longer used, and exchanges are still stored', async () => {
  await using folder = await openHistoryFolder();
  for (let time = 0; time < 6; time += 1) {
    await folder.record(...exchanges(`round${time}x`, 10));
    await runUnprotectedSql(
      join(folder.dataDir, 'gatehouse.db'),
      'drop table if exists exchange_text',
    );
  }
  await folder.record(...exchanges('last', 10));
  expect(folder.history.dropped).toBe(0);
  expect(await folder.history.count({ text: 'round1x' }, 100)).toBe(10);
  expect(await folder.history.count({ text: 'last' }, 100)).toBe(10);
});

test('an abandoned index is rebuilt by the next start, even if it seems intact then', async () => {
  await using folder = await openHistoryFolder();
  const file = join(folder.dataDir, 'gatehouse.db');
  for (const name of ['one', 'two', 'three', 'four', 'five']) {
    await folder.record(...exchanges(name, 3));
    await runUnprotectedSql(file, 'alter table exchange_text rename to elsewhere');
    await folder.record(...exchanges(`after${name}`, 3));
    await runUnprotectedSql(
      file,
      'drop table if exists exchange_text; alter table elsewhere rename to exchange_text',
    );
  }
  expect(folder.logged.at(-1)).toContain('has no search index');
  await folder.record(...exchanges('late', 3));
  await folder.history.close();
  const again = openHistory({
    store: folder.store,
    now: () => NOON,
    redact: String,
    log: () => undefined,
    getRetention: () => ({ days: 90, headersDays: 7 }),
  });
  await again.flush();
  const indexed = () => countRows(folder.dataDir, 'gatehouse.db', 'exchange_text');
  await expect.poll(indexed).toBe(33);
  expect(await found({ history: again }, 'late')).toBe(3);
  expect(await found({ history: again }, 'afterfive')).toBe(3);
  await again.close();
});
