import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { openHistory, readDatabaseSize } from '../../../gateway/history/history.ts';
import { toConditions } from '../../../gateway/history/filter.ts';
import { openStore } from '../../../gateway/store/store.ts';
import { openTrustedClock } from '../../../gateway/store/trusted-clock.ts';
import type { HistoryFilter } from '../../../shared/history/history.ts';
import { anExchange } from '../../kit/history/an-exchange.ts';
import { type HistoryFolder, NOON, openHistoryFolder } from '../../kit/history/history-folder.ts';

const DAY = 24 * 3_600_000;
const HEADS = { received: ['a', 'b'], sent: null, answered: null, returned: null };

async function idsOf({ history }: HistoryFolder, filter: HistoryFilter): Promise<string[]> {
  return (await history.page({ filter, limit: 500 })).exchanges.map(({ id }) => id);
}

async function countMarks({ store }: HistoryFolder): Promise<number> {
  return (await store.db.selectFrom('exchange_mark').select('seq').execute()).length;
}

describe('The mark of an exchange', () => {
  test('is changed part by part, and is gone when nothing is left of it', async () => {
    await using folder = await openHistoryFolder();
    const { history } = folder;
    const { id } = anExchange('a');
    history.record(anExchange('a'));
    // It waits to be written.
    const first = await history.mark(id, { note: 'Look at the tool call.', addTags: ['bug'] });
    expect(first).toMatchObject({ pinned: false, note: 'Look at the tool call.', tags: ['bug'] });
    expect(await history.mark(id, { pinned: true, addTags: ['later', 'BUG'] })).toEqual({
      pinned: true,
      note: 'Look at the tool call.',
      tags: ['bug', 'later'],
      changedAt: NOON,
    });
    const [row] = (await history.page({ filter: {}, limit: 1 })).exchanges;
    expect(row?.mark).toEqual({ pinned: true, tags: ['bug', 'later'], hasNote: true });
    expect((await history.get(id))?.mark).toMatchObject({ pinned: true, tags: ['bug', 'later'] });
    expect((await history.names()).tags).toEqual(['bug', 'later']);
    await history.mark(id, { pinned: false, note: '', removeTags: ['Bug', 'later', 'never'] });
    expect((await history.get(id))?.mark).toBeNull();
    expect(await countMarks(folder)).toBe(0);
  });

  test('changed by two at the same moment has the tags of both', async () => {
    await using folder = await openHistoryFolder();
    const { history } = folder;
    const { id } = anExchange('a');
    await folder.record(anExchange('a'));
    await Promise.all([
      history.mark(id, { addTags: ['one'] }),
      history.mark(id, { addTags: ['two'], pinned: true }),
      history.pin([id], true),
    ]);
    const mark = (await history.get(id))?.mark;
    expect([mark?.pinned, mark?.tags.toSorted()]).toEqual([true, ['one', 'two']]);
  });

  test('has no secret, and at most 20 tags', async () => {
    const secret = 'sk-0123456789abcdef0123456789';
    const redact = (text: string) => text.replaceAll(secret, '<service key>');
    await using folder = await openHistoryFolder({ redact });
    const { history } = folder;
    const { id } = anExchange('a');
    await folder.record(anExchange('a'));
    expect((await history.mark(id, { note: `with ${secret}` }))?.note).toBe('with <service key>');
    await expect(history.mark(id, { addTags: [secret] })).rejects.toThrow('contains a key');
    const tags = Array.from({ length: 20 }, (_, at) => `t${at}`);
    await history.mark(id, { addTags: tags });
    await expect(history.mark(id, { addTags: ['one-more'] })).rejects.toThrow('at most 20 tags');
    const kept = await history.mark(id, { addTags: ['one-more'], removeTags: ['t0'] });
    expect(kept?.tags).toHaveLength(20);
  });

  test('of an exchange that there is not is refused, and pins leave such ones out', async () => {
    await using folder = await openHistoryFolder();
    const { history } = folder;
    const [there, missing] = [anExchange('a').id, anExchange('b').id];
    await folder.record(anExchange('a'));
    expect(await history.mark(missing, { pinned: true })).toBeNull();
    expect(await history.pin([there, missing], true)).toEqual([there]);
    expect(await history.listPinned()).toEqual([there]);
    const summary = { pinned: true, tags: [], hasNote: false };
    expect(await history.marks([missing, there])).toEqual([{ id: there, mark: summary }]);
    expect(await history.pin([there], false)).toEqual([there]);
    expect(await countMarks(folder)).toBe(0);
  });
});

describe('A filter by marks', () => {
  test('shows a status check that is shown with a later one otherwise', async () => {
    await using folder = await openHistoryFolder();
    const check = { route: 'video-status', method: 'GET', repairs: [] };
    await folder.record(
      anExchange('a', check),
      anExchange('b', { ...check, startedAt: NOON + 5_000 }),
    );
    await folder.history.pin([anExchange('a').id], true);
    expect(await idsOf(folder, {})).toEqual(['b']);
    expect(await idsOf(folder, { pinned: true })).toEqual(['a']);
    expect(await idsOf(folder, { pinned: false })).toEqual(['b']);
  });

  test('reads the marked exchanges and no others', async () => {
    await using folder = await openHistoryFolder();
    for (const filter of [{ pinned: true }, { tags: ['bug*'] }, { notes: ['a'], pinned: true }]) {
      const where = sql.join(toConditions(filter), sql` and `);
      const plan = await sql<{ detail: string }>`explain query plan select exchange.* from exchange
        where ${where} order by started_at desc, seq desc limit 200`.execute(folder.store.db);
      const details = plan.rows.map(({ detail }) => detail);
      expect(details).toContain('SEARCH exchange USING INTEGER PRIMARY KEY (rowid=?)');
      expect(details.join()).not.toContain('SCAN exchange ');
    }
  });
});

function large(at: number) {
  return anExchange(`e${at}`, {
    startedAt: NOON - 100_000 + at,
    errorMessage: `${at} `.padEnd(500, 'x'),
    pathReceived: `/v1/${at}`.padEnd(900, 'p'),
  });
}

function keep() {
  return { days: 90, headersDays: 7 };
}

function logNothing(): void {}

describe('Pinned exchanges', () => {
  test('stay when others are too old, with headers, totals and words, until they are unpinned', async () => {
    let days = 900;
    await using folder = await openHistoryFolder({
      getRetention: () => ({ days, headersDays: 900 }),
    });
    const { history } = folder;
    const fields = { startedAt: NOON - 200 * DAY, modelSent: 'acme/ancient', clientName: 'Elder' };
    const { id } = anExchange('pinned');
    for (let at = 0; at < 700; at += 1) history.record(anExchange(`o${at}`, fields), HEADS);
    history.record(anExchange('pinned', fields), HEADS);
    const others = { startedAt: NOON - 199 * DAY, pathReceived: '/forgotten' };
    history.record(anExchange('noted', others), HEADS);
    await history.pin([id], true);
    await history.mark(anExchange('noted').id, { note: 'a note alone keeps nothing' });
    await folder.record(anExchange('new'));
    days = 90;
    expect(await history.prune()).toBe(701);
    expect((await history.get(id))?.headers).not.toBeNull();
    expect((await history.perModel('services')).get('acme/ancient')?.exchanges).toBe(1);
    expect(await idsOf(folder, { text: 'elde anci' })).toEqual(['pinned']);
    expect(await idsOf(folder, { text: 'forgot' })).toEqual([]);
    const words = await sql<{ word: string }>`select word from exchange_word
      where word in ('elder', 'forgotten')`.execute(folder.store.db);
    expect(words.rows).toEqual([{ word: 'elder' }]);
    expect(await countMarks(folder)).toBe(1);
    await history.pin([id], false);
    expect(await history.prune()).toBe(1);
    expect(await idsOf(folder, {})).toEqual(['new']);
  });

  test('lose their headers only when none are kept', async () => {
    let headersDays = 1;
    await using folder = await openHistoryFolder({
      getRetention: () => ({ days: 90, headersDays }),
    });
    const { history } = folder;
    const { id } = anExchange('a');
    history.record(anExchange('a', { startedAt: NOON - 8 * DAY }), HEADS);
    await history.pin([id], true);
    await history.prune();
    expect((await history.get(id))?.headers).not.toBeNull();
    headersDays = 0;
    await history.prune();
    expect((await history.get(id))?.headers).toBeNull();
  });

  test('go last when the database is too large', async () => {
    let bytes = 2 ** 40;
    await using folder = await openHistoryFolder({
      getRetention: () => ({ days: 90, headersDays: 7, bytes }),
    });
    const { history, store } = folder;
    for (let at = 0; at < 2_000; at += 1) history.record(large(at));
    await history.pin(
      Array.from({ length: 600 }, (_, at) => large(at).id),
      true,
    );
    bytes = Math.round((await readDatabaseSize(store.db)).used * 0.6);
    const deleted = await history.prune();
    expect(deleted).toBeGreaterThan(500);
    expect(await history.count({ pinned: true }, 10_000)).toBe(600);
    bytes = 1;
    await history.prune();
    expect(await idsOf(folder, { pinned: true })).toEqual([]);
    expect(await history.count({}, 10_000)).toBe(100);
  });

  test('are deleted with all others when the history is erased', async () => {
    await using folder = await openHistoryFolder();
    const { history } = folder;
    await folder.record(anExchange('a'), anExchange('b'));
    await history.pin([anExchange('a').id], true);
    expect(await history.erase()).toBe(2);
    expect([await history.count({}, 10), await countMarks(folder)]).toEqual([0, 0]);
  });

  test('stay after a start with the clock moved, also when a service confirms it', async () => {
    await using folder = await openHistoryFolder();
    const { history, dataDir } = folder;
    await folder.record(anExchange('pinned'), anExchange('old'));
    await history.pin([anExchange('pinned').id], true);
    for (const [days, confirmed, left] of [
      [-300, false, ['old', 'pinned']],
      [400, false, ['old', 'pinned']],
      [400, true, ['pinned']],
    ] as const) {
      const store = await openStore(`${dataDir}/gatehouse.db`);
      const now = () => NOON + days * DAY;
      const clock = await openTrustedClock({ store, log: logNothing, now });
      const options = { store, now, redact: String, log: logNothing };
      const later = openHistory({ ...options, getRetention: keep, clock });
      if (confirmed) clock.confirm(now() - 2_000);
      await later.prune();
      const ids = (await later.list({ limit: 10 })).map(({ id }) => String(id));
      expect(ids.toSorted()).toEqual(left);
      await later.close();
      await store.close();
    }
  });
});
