import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { openHistory, type RawHeaderSnapshots } from '../../../gateway/history/history.ts';
import { INSERT_EXCHANGE, toRow } from '../../../gateway/history/row.ts';
import { initial } from '../../../gateway/store/migrations/0001-ground.ts';
import { createSchema } from '../../../gateway/store/schema.ts';
import type { Store } from '../../../gateway/store/store.ts';
import { anExchange } from '../../kit/history/an-exchange.ts';
import { type HistoryFolder, NOON, openHistoryFolder } from '../../kit/history/history-folder.ts';

const DAY = 24 * 3_600_000;
const HEADS: RawHeaderSnapshots = {
  received: ['Authorization', 'Bearer gh-1234', 'X-A', '1', 'X-A', '2'],
  sent: ['authorization', 'Bearer real'],
  answered: null,
  returned: ['Set-Cookie', 'a=b'],
};

async function countOf({ db }: Store, table: string): Promise<number> {
  const { rows } = await sql<{ n: number }>`select count(*) as n from ${sql.table(table)}`.execute(
    db,
  );
  return rows[0]?.n ?? 0;
}

/** Returns the highest `seq` of an exchange that is not in the search index. */
async function unindexed({ db }: Store): Promise<number | undefined> {
  const state = sql<{ unindexed: number }>`select unindexed from exchange_index`;
  return (await state.execute(db)).rows[0]?.unindexed;
}

/** Counts the rows of every table that holds data of an exchange. */
async function countRemaining(store: Store): Promise<Record<string, number>> {
  const names = ['exchange', 'exchange_head', 'exchange_sum', 'exchange_text', 'exchange_word'];
  const counts = await Promise.all(names.map((name) => countOf(store, name)));
  return Object.fromEntries(names.map((name, at) => [name, counts[at] ?? -1]));
}

/** Returns the size of the file, in pages of 4 KiB. */
async function pagesOf({ db }: Store): Promise<number | undefined> {
  const size = sql<{ page_count: number }>`pragma page_count`;
  return (await size.execute(db)).rows[0]?.page_count;
}

async function idsOf({ history }: HistoryFolder, text: string): Promise<string[]> {
  const page = await history.page({ filter: { text }, limit: 500 });
  return page.exchanges.map(({ id }) => id);
}

describe('Headers', () => {
  test('are stored with their exchange, with credentials masked', async () => {
    await using folder = await openHistoryFolder();
    const exchange = anExchange('a');
    folder.history.record(exchange, HEADS);
    await folder.history.flush();
    expect(await folder.history.get(exchange.id)).toEqual({
      exchange,
      headers: {
        received: [
          ['Authorization', 'Bearer ••••'],
          ['X-A', '1'],
          ['X-A', '2'],
        ],
        sent: [['authorization', 'Bearer ••••']],
        answered: null,
        returned: [['Set-Cookie', '••••']],
      },
      mark: null,
    });
  });

  test('are not stored when their retention is zero days', async () => {
    await using folder = await openHistoryFolder({
      getRetention: () => ({ days: 9, headersDays: 0 }),
    });
    const exchange = anExchange('a');
    folder.history.record(exchange, HEADS);
    await folder.history.flush();
    expect(await folder.history.get(exchange.id)).toEqual({ exchange, headers: null, mark: null });
  });

  test('are deleted before their exchange is, in more than one batch', async () => {
    await using folder = await openHistoryFolder();
    const { history } = folder;
    for (let i = 0; i < 1_100; i += 1) {
      history.record(anExchange(`o${i}`, { startedAt: NOON - 8 * DAY }), HEADS);
    }
    const kept = anExchange('kept', { startedAt: NOON - 6 * DAY });
    history.record(kept, HEADS);
    await history.flush();
    expect(await history.prune()).toBe(0);
    expect(await countOf(folder.store, 'exchange')).toBe(1_101);
    expect(await countOf(folder.store, 'exchange_head')).toBe(1);
    expect((await history.get(kept.id))?.headers).not.toBeNull();
  });
});

describe('An erased exchange', () => {
  test('leaves nothing behind when it is too old, and sums and search are updated', async () => {
    let days = 90;
    await using folder = await openHistoryFolder({
      getRetention: () => ({ days, headersDays: 90 }),
    });
    const { history, store } = folder;
    for (let i = 0; i < 600; i += 1) {
      const fields = { startedAt: NOON - 3 * DAY, modelSent: 'acme/old', clientName: 'Gone' };
      history.record(anExchange(`o${i}`, { ...fields, conversation: `bye${i}` }), HEADS);
    }
    await folder.record(anExchange('kept'));
    days = 2;
    expect(await history.prune()).toBe(600);
    expect(await history.names()).toEqual({
      clients: ['Cline'],
      models: ['acme/large'],
      services: ['https://models.example.com'],
      tags: [],
      tools: [],
    });
    expect([...(await history.perModel('services')).keys()]).toEqual(['acme/large']);
    expect(await idsOf(folder, 'bye')).toEqual([]);
    expect(await idsOf(folder, 'cline')).toEqual(['kept']);
    const left = await countRemaining(store);
    expect(left).toMatchObject({ exchange: 1, exchange_head: 0, exchange_sum: 1 });
    expect(left['exchange_text']).toBe(1);
  });

  test('leaves nothing behind when all are deleted, and later ones are found', async () => {
    await using folder = await openHistoryFolder();
    const { history, store } = folder;
    for (let i = 0; i < 1_300; i += 1) history.record(anExchange(`o${i}`), HEADS);
    expect(await history.erase()).toBe(1_300);
    expect(await pagesOf(store)).toBeLessThan(75);
    const nothing = { exchange: 0, exchange_head: 0, exchange_sum: 0 };
    expect(await countRemaining(store)).toEqual({ ...nothing, exchange_text: 0, exchange_word: 0 });
    await folder.record(anExchange('new'));
    expect(await idsOf(folder, 'cline large')).toEqual(['new']);
    expect((await history.perModel('services')).get('acme/large')?.exchanges).toBe(1);
  });

  test('is deleted at the next start when deleting all was interrupted', async () => {
    await using folder = await openHistoryFolder();
    const { history, store } = folder;
    for (let i = 0; i < 6_000; i += 1) history.record(anExchange(`o${i}`));
    const erasing = history.erase();
    while ((await history.count({}, 6_000)) === 6_000);
    await history.close();
    expect(await erasing).toBeLessThan(6_000);

    const options = { store, now: () => NOON, redact: String, log: () => undefined };
    const next = openHistory({ ...options, getRetention: () => ({ days: 90, headersDays: 7 }) });
    while ((await next.count({}, 1)) > 0);
    next.record(anExchange('new'));
    await next.close();
    const after = openHistory({ ...options, getRetention: () => ({ days: 90, headersDays: 7 }) });
    await after.close();
    expect(await after.count({}, 10)).toBe(1);
  });
});

/** Creates a database of the first version with this many exchanges, one a minute. */
function createFirstVersion(file: string, count: number): void {
  createSchema(new DatabaseSync(file), { '0001-ground': initial });
  const db = new DatabaseSync(file);
  const there = new Set(
    db
      .prepare('pragma table_info(exchange)')
      .all()
      .map(({ name }) => name),
  );
  const columns = (/\((.*?)\)/u.exec(INSERT_EXCHANGE)?.[1] ?? '').split(', ');
  const places = columns.flatMap((name, place) => (there.has(name) ? [place] : []));
  const names = places.map((place) => columns[place]).join(', ');
  const insert = db.prepare(
    `insert into exchange (${names}) values (${places.map(() => '?').join(', ')})`,
  );
  db.exec('begin');
  for (let at = 0; at < count; at += 1) {
    const row = toRow(anExchange(`old-${at}`, { startedAt: NOON - at * 60_000 }));
    insert.run(...places.map((place) => row[place] ?? null));
  }
  db.exec('commit');
  db.close();
}

describe('A database of the first version', () => {
  test('keeps its exchanges, which are then summed and found', async () => {
    await using folder = await openHistoryFolder({}, (file) => createFirstVersion(file, 1_000));
    const { history } = folder;
    const [newest] = await history.list({ limit: 1 });
    expect(newest).toEqual(anExchange('old-0', { errorMessage: null, service: null }));
    expect((await history.perModel('services')).get('acme/large')).toEqual({
      lastUsedAt: NOON,
      exchanges: 1_000,
      inputTokens: 10_000,
      outputTokens: 5_000,
    });
    const days = await history.days('services');
    expect(days).toHaveLength(30);
    expect(days.slice(-2).map((day) => [day.day, day.exchanges])).toEqual([
      ['2026-11-20', 279],
      ['2026-11-21', 721],
    ]);
    // Exchanges must be found before and after the index is filled, and while others are recorded.
    await folder.record(anExchange('new', { startedAt: NOON + 1 }));
    const filter = { text: 'cline lar', streamed: true };
    expect(await history.count(filter, 5_000)).toBe(1_001);
    await expect.poll(() => unindexed(folder.store)).toBe(0);
    expect(await countOf(folder.store, 'exchange_text')).toBe(1_001);
    expect(await history.count(filter, 5_000)).toBe(1_001);
  });
});
