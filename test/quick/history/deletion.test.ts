import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openHistory } from '../../../gateway/history/history.ts';
import { openStore } from '../../../gateway/store/store.ts';
import type { HistoryCursor } from '../../../shared/history/history.ts';
import { anExchange } from '../../kit/history/an-exchange.ts';
import { NOON, openHistoryFolder } from '../../kit/history/history-folder.ts';
import { expectAgreement } from '../../kit/history/expect-agreement.ts';

const HEADS = { received: ['a', 'b'], sent: null, answered: null, returned: null };
const DAY = 24 * 3_600_000;
const idOf = (name: string) => anExchange(name).id;

test('an exchange is deleted with its headers, mark, words and totals, and no other is', async () => {
  await using folder = await openHistoryFolder();
  const { history, store } = folder;
  for (const name of ['a', 'b']) {
    const fields = { conversation: `talk${name}`, modelSent: `acme/${name}`, clientName: name };
    history.record(anExchange(name, fields), HEADS);
  }
  await history.mark(idOf('a'), { pinned: true, note: 'n', addTags: ['t'] });
  const reports: number[] = [];
  history.on((written) => void reports.push(written));
  expect(await history.delete([idOf('a'), idOf('never')])).toBe(1);
  expect(reports).toEqual([0]);
  expect(await history.get(idOf('a'))).toBeNull();
  expect(await history.count({ text: 'talka' }, 10)).toBe(0);
  expect(await history.count({ text: 'talk' }, 10)).toBe(1);
  expect((await history.names()).clients).toEqual(['b']);
  expect([...(await history.perModel('services')).keys()]).toEqual(['acme/b']);
  for (const table of ['exchange', 'exchange_head', 'exchange_text']) {
    const { rows } = await sql<{
      n: number;
    }>`select count(*) as n from ${sql.table(table)}`.execute(store.db);
    expect([table, rows[0]?.n]).toEqual([table, 1]);
  }
  expect(await store.db.selectFrom('exchange_mark').select('seq').execute()).toEqual([]);
  expect(await history.delete([idOf('a')])).toBe(0);
});

test('two deletions of the same exchanges at the same moment delete them once', async () => {
  await using folder = await openHistoryFolder();
  const { history } = folder;
  const ids = Array.from({ length: 1_200 }, (_, at) => idOf(`e${at}`));
  for (const id of ids) history.record(anExchange(id));
  await folder.record(anExchange('kept'));
  const deleted = await Promise.all([history.delete(ids), history.delete(ids)]);
  expect(deleted[0] + deleted[1]).toBe(1_200);
  using outside = new DatabaseSync(join(folder.dataDir, 'gatehouse.db'), { readOnly: true });
  expectAgreement(outside);
  expect(await history.count({ text: 'cline' }, 10_000)).toBe(1);
});

test('a page continues after its last exchange was deleted, with and without the search index', async () => {
  for (const filter of [{}, { text: 'cline' }]) {
    await using folder = await openHistoryFolder();
    const { history } = folder;
    const names = ['a', 'b', 'c', 'd', 'e'];
    await folder.record(...names.map((name, at) => anExchange(name, { startedAt: NOON - at })));
    const first = await history.page({ filter, limit: 2 });
    await history.delete([idOf('b'), idOf('c')]);
    const before: HistoryCursor | undefined = first.next ?? undefined;
    const rest = await history.page({ filter, limit: 9, before });
    expect(rest.exchanges.map(({ id }) => id)).toEqual(['d', 'e']);
  }
});

test('an export has all other exchanges when some are deleted meanwhile', async () => {
  await using folder = await openHistoryFolder();
  const { history } = folder;
  for (let at = 0; at < 600; at += 1)
    history.record(anExchange(`e${at}`, { startedAt: NOON - at }));
  await history.flush();
  const ids: string[] = [];
  const { signal } = new AbortController();
  const query = {
    filter: {},
    ids: null,
    size: 250,
    headers: true,
    listKeys: () => Promise.resolve([]),
    signal,
  };
  for await (const batch of history.batches(query)) {
    // The last one of the first batch, and one that is still to come.
    if (ids.length === 0) await history.delete([idOf('e249'), idOf('e400')]);
    ids.push(...batch.map(({ exchange }) => exchange.id));
  }
  expect(ids).toHaveLength(599);
  expect(ids).not.toContain('e400');
  expect(ids.at(-1)).toBe('e599');
});

test('another process records and prunes while exchanges are pinned and deleted: pinned ones stay, and totals agree', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-marks-'));
  const file = join(folder, 'gatehouse.db');
  const store = await openStore(file);
  const history = openHistory({
    store,
    now: Date.now,
    redact: String,
    log: () => undefined,
    getRetention: null,
  });
  const child = fork(join(import.meta.dirname, 'pruning-process.ts'), [file], {
    execPath: process.execPath,
    execArgv: [],
  });
  await once(child, 'message');
  const pinned = new Set<string>();
  // Which process is ahead is left to chance, so it goes on until enough were pinned in time.
  for (let round = 0; round < 60 || pinned.size <= 20; round += 1) {
    // The other process deletes it as too old with its next pruning, or has done so.
    const filter = { until: Date.now() - 3 * DAY, pinned: false };
    const expired = await history.list({ limit: 3, filter });
    const ids = expired.map(({ id }) => id);
    for (const id of await history.pin(ids, true)) pinned.add(id);
    const recent = await history.list({ limit: 3 });
    await history.delete(recent.map(({ id }) => id));
  }
  const ended = once(child, 'exit');
  child.send('stop');
  await ended;
  expect((await history.listPinned()).map(String).toSorted()).toEqual([...pinned].toSorted());
  const outside = new DatabaseSync(file, { readOnly: true });
  expectAgreement(outside);
  const [orphans, stray] = [
    'select count(*) as n from exchange_mark where seq not in (select seq from exchange)',
    `select count(*) as n from exchange_text where rowid not in
      (select (started_at << 20) | (seq & 1048575) from exchange)`,
  ].map((query) => outside.prepare(query).get()?.['n']);
  outside.close();
  expect([orphans, stray]).toEqual([0, 0]);
  await history.close();
  await store.close();
  await rm(folder, { recursive: true });
});
