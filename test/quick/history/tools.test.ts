import { join } from 'node:path';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { followExchanges } from '../../../gateway/history/follow.ts';
import { openHistory } from '../../../gateway/history/history.ts';
import { countUnindexed } from '../../../gateway/history/search/search-index-tables.ts';
import { openStore } from '../../../gateway/store/store.ts';
import { RunId } from '../../../shared/exchange/exchange.ts';
import type { HistoryFilter } from '../../../shared/history/history.ts';
import { runUnprotectedSql } from '../../kit/disk/corrupt-files.ts';
import { toPattern } from '../../../shared/name-pattern.ts';
import { anExchange } from '../../kit/history/an-exchange.ts';
import { type HistoryFolder, NOON, openHistoryFolder } from '../../kit/history/history-folder.ts';
import { allOf } from '../../kit/history/search.ts';

/** Tools by exchange, as steps of one run. */
function toSteps(tools: Readonly<Record<string, readonly string[]>>) {
  return Object.entries(tools).map(([id, names]) => ({
    id: anExchange(id).id,
    run: RunId.parse('run-1'),
    tools: names,
  }));
}

const ODD = ['two words', 'a "b" \\', 'line\nbreak', 'a*b', '100%_', 'Ärger'];
const TOOLS = { a: ['Bash', 'Read'], b: ['mcp__docs__find', 'read'], c: [], d: ODD };

/** Records the exchanges `a` to `e`, the latest first, of which `e` has no step. */
async function recordAll(folder: HistoryFolder): Promise<void> {
  const ids = ['a', 'b', 'c', 'd', 'e'];
  await folder.record(
    ...ids.map((id, place) =>
      anExchange(id, { startedAt: NOON - place, clientName: id === 'b' ? 'Zed' : 'Cline' }),
    ),
  );
  await folder.history.setSteps(toSteps(TOOLS));
}

function ignoreLog(): void {}

const CASES: readonly [HistoryFilter, readonly string[]][] = [
  [{ tools: ['bash'] }, ['a']],
  [{ tools: ['READ'] }, ['a', 'b']],
  [{ tools: ['mcp__*', 'none'] }, ['b']],
  [{ tools: ['mcp_'] }, []],
  [{ tools: ['*'] }, ['a', 'b', 'd']],
  [{ not: { tools: ['*'] } }, ['c', 'e']],
  [{ not: { tools: ['bash', 'mcp*'] } }, ['c', 'd', 'e']],
  [{ tools: ['read'], clients: ['zed'] }, ['b']],
  [{ tools: ['read'], text: 'zed' }, ['b']],
  [{ tools: ['read'], run: 'run-1', not: { tools: ['bash'] } }, ['b']],
  [{ tools: [''] }, []],
  ...ODD.map((name): [HistoryFilter, string[]] => [{ tools: [toPattern(name)] }, ['d']]),
  [{ tools: ['ÄRGER'] }, ['d']],
];

describe('Exchanges are found by their tools', () => {
  test.each([
    ['with the search index', {}],
    ['without it', { getRetention: null }],
  ])('%s', async (_, options) => {
    await using folder = await openHistoryFolder(options);
    await recordAll(folder);
    for (const [filter, ids] of CASES) {
      expect([filter, await allOf(folder.history, filter, 2)]).toEqual([filter, ids]);
      expect(await folder.history.count(filter, 10)).toBe(ids.length);
    }
  });

  test('after the search index was rebuilt at a start', async () => {
    await using folder = await openHistoryFolder();
    await recordAll(folder);
    await folder.history.close();
    await sql`delete from exchange_index`.execute(folder.store.db);
    const again = openHistory({
      store: folder.store,
      now: () => NOON,
      redact: String,
      log: ignoreLog,
      getRetention: () => ({ days: 90, headersDays: 7 }),
    });
    await again.flush();
    await again.page({ filter: {}, limit: 1 });
    await expect.poll(async () => await countUnindexed(folder.store)).toBe(0);
    for (const [filter, ids] of CASES) expect(await allOf(again, filter, 2)).toEqual(ids);
    await again.close();
  });

  test.each(['drop table exchange_text', 'drop table exchange_index'])(
    'that became known while the search index was damaged: %s',
    async (damage) => {
      await using folder = await openHistoryFolder();
      await folder.record(anExchange('a'), anExchange('b'));
      await folder.history.setSteps(toSteps({ b: ['read'] }));
      await runUnprotectedSql(join(folder.dataDir, 'gatehouse.db'), damage);
      await folder.history.setSteps(toSteps({ a: ['bash'] }));
      expect(await allOf(folder.history, { tools: ['bash'] }, 5)).toEqual(['a']);
      expect(await allOf(folder.history, { tools: ['read'] }, 5)).toEqual(['b']);
      await expect.poll(async () => await countUnindexed(folder.store)).toBe(0);
      expect(await folder.history.count({ tools: ['bash'] }, 5)).toBe(1);
    },
  );
});

test('the tools of an exchange that waits to be written are added to it, once', async () => {
  await using folder = await openHistoryFolder();
  const { history, store } = folder;
  history.record(anExchange('a'));
  const changes: number[] = [];
  history.on((written) => changes.push(written));
  await Promise.all([1, 2].map(() => history.setSteps(toSteps({ a: ['bash'], missing: ['x'] }))));
  expect(await allOf(history, { tools: ['bash'], text: 'cline' }, 5)).toEqual(['a']);
  expect(await history.count({}, 10)).toBe(1);
  const rows = await store.db.selectFrom('exchange_tool').select('name').execute();
  expect(rows).toEqual([{ name: 'bash' }]);
  // An open window loads it again.
  expect(changes).toContain(0);
});

test('the tools of very many exchanges are added a part at a time, also after one that fails', async () => {
  await using folder = await openHistoryFolder();
  const { history, store } = folder;
  const ids = Array.from({ length: 600 }, (_, at) => `n${at}`);
  await folder.record(...ids.map((id, at) => anExchange(id, { startedAt: NOON - at })));
  await sql`create trigger refused before update on exchange when old.id = 'n300'
    begin select raise(abort, 'refused'); end`.execute(store.db);
  const changes: number[] = [];
  history.on((written) => changes.push(written));
  await history.setSteps(toSteps(Object.fromEntries(ids.map((id) => [id, ['bash']]))));
  expect(await history.count({ tools: ['bash'], run: 'run-1' }, 1_000)).toBe(350);
  expect(changes).toContain(0);
});

test('who follows a tool gets an exchange that has it although the one before was deleted', async () => {
  await using folder = await openHistoryFolder();
  const { history } = folder;
  const reader = await openStore(join(folder.dataDir, 'gatehouse.db'));
  await folder.record(anExchange('a'), anExchange('b'));
  await history.setSteps(toSteps({ a: ['bash'] }));
  const ended = new AbortController();
  const options = { filter: { tools: ['bash'] }, last: 1, signal: ended.signal };
  const followed = followExchanges(reader, options);
  expect((await followed.next()).value).toMatchObject({ id: 'a' });
  await history.delete([anExchange('a').id]);
  await history.setSteps(toSteps({ b: ['bash'] }));
  expect((await followed.next()).value).toMatchObject({ id: 'b' });
  ended.abort();
  await followed.return();
  await reader.close();
});

test('tools go with their exchange, and are no names to filter by then', async () => {
  await using folder = await openHistoryFolder();
  const { history, store } = folder;
  await recordAll(folder);
  const { tools } = await history.names();
  // A name with a line break cannot be typed into the box.
  expect(tools.toSorted()).toEqual(
    [...new Set([...TOOLS.a, ...TOOLS.b, ...ODD])]
      .filter((name) => !name.includes('\n'))
      .toSorted(),
  );
  expect(tools.at(-1)).toMatch(/^(?:Bash|Read)$/u);
  await history.delete([anExchange('a').id, anExchange('d').id]);
  expect((await history.names()).tools.toSorted()).toEqual(['mcp__docs__find', 'read']);
  expect(await allOf(history, { tools: ['*'] }, 5)).toEqual(['b']);
  await history.erase();
  expect(await store.db.selectFrom('exchange_tool').select('id').execute()).toEqual([]);
  await history.setSteps(toSteps(TOOLS));
  expect((await history.names()).tools).toEqual([]);
});

test('a name of a tool has no secret', async () => {
  await using folder = await openHistoryFolder({
    redact: (text) => text.replaceAll('sk-123', '<service key>'),
  });
  await folder.record(anExchange('a'));
  await folder.history.setSteps(toSteps({ a: ['use sk-123'] }));
  expect((await folder.history.names()).tools).toEqual(['use <service key>']);
});

test('a pattern of very many tools finds them all', async () => {
  await using folder = await openHistoryFolder();
  const { history } = folder;
  const ids = Array.from({ length: 70 }, (_, at) => `m${at}`);
  await folder.record(...ids.map((id, at) => anExchange(id, { startedAt: NOON - at })));
  const tools = ids.map((id) => [id, Array.from({ length: 100 }, (_, at) => `${id}_${at}`)]);
  await history.setSteps(toSteps(Object.fromEntries(tools)));
  expect(await history.count({ tools: ['m*_5'] }, 100)).toBe(70);
  expect(await allOf(history, { tools: ['*9_17'] }, 5)).toEqual([
    'm9',
    'm19',
    'm29',
    'm39',
    'm49',
    'm59',
    'm69',
  ]);
  expect((await history.names()).tools).toHaveLength(200);
});
