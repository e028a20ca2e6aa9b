import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type History, openHistory } from '../../gateway/history/history.ts';
import { openStore } from '../../gateway/store/store.ts';
import { ExchangeId } from '../../shared/exchange.ts';
import type { HistoryFilter } from '../../shared/history.ts';
import { madeExchanges, RARE_CLIENT } from '../made-exchanges.ts';
import { type Measure, Rows } from '../measure.ts';
import { median } from '../statistics.ts';

const PAGE = 100;
const FIRST_MS = 50;
const FILTERED_MS = 150;
const SEARCH_MS = 300;
const CLIENT = 'Cline';
const MODEL = 'acme/large-2026-05';

/** A case: its name, its filter, and how many milliseconds it may take. */
type Case = readonly [label: string, filter: HistoryFilter, atMost: number];

const CASES: readonly Case[] = [
  ['first page', {}, FIRST_MS],
  ['one client', { clients: [CLIENT] }, FILTERED_MS],
  ['a rare client', { clients: [RARE_CLIENT] }, FILTERED_MS],
  ['a rare client, repaired', { clients: [RARE_CLIENT], repaired: true }, FILTERED_MS],
  ['one model, 5xx, streamed', { models: [MODEL], outcome: '5xx', streamed: true }, FILTERED_MS],
  ['failed', { outcome: 'failed' }, FILTERED_MS],
  ['repaired', { repaired: true }, FILTERED_MS],
  ['a client and a route, nothing matches', { clients: [CLIENT], routes: ['files'] }, FILTERED_MS],
  [
    'all that is common, nothing matches',
    { outcome: '3xx', streamed: true, repaired: false, clients: [CLIENT], models: [MODEL] },
    FILTERED_MS,
  ],
  ['a common word', { text: 'completions' }, SEARCH_MS],
  ['one letter', { text: 'c' }, SEARCH_MS],
  ['one digit', { text: '4' }, SEARCH_MS],
  ['three common words', { text: 'c linux acme' }, SEARCH_MS],
  ['a rare word', { text: 'nightly' }, SEARCH_MS],
  ['a word and a filter', { text: 'large', clients: [RARE_CLIENT] }, SEARCH_MS],
  ['a common word and a filter, nothing matches', { text: 'cline', clients: ['Zed'] }, SEARCH_MS],
  ['a word that nothing has', { text: 'zebra' }, SEARCH_MS],
];

/** How fast the history answers when it is full, alone and while much is recorded. */
export const measureHistory: Measure = async ({ scale: { history: scale } }) => {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-bench-'));
  const store = await openStore(join(folder, 'gatehouse.db'));
  const now = Date.now();
  const history = openHistory({ store, now: () => now, redact: String, log: complain, keep });
  try {
    const rows = new Rows('history');
    const took = await fill(history, { count: scale.rows, end: now });
    const label = `history of ${scale.rows} exchanges: to write one`;
    rows.add(['write', label], 'µs', { values: { gateway: (1000 * took) / scale.rows } });
    await measureCases(history, { times: scale.times, rows });
    return rows.rows;
  } finally {
    await history.close();
    await store.close();
    await rm(folder, { recursive: true, force: true });
  }
};

function keep() {
  return { days: 365, headersDays: 7 };
}

function complain(_level: string, message: string): void {
  throw new Error(message);
}

/** Resolves with the milliseconds that it took. */
async function fill(
  history: History,
  { count, end }: { readonly count: number; readonly end: number },
): Promise<number> {
  const began = performance.now();
  let waiting = 0;
  for (const exchange of madeExchanges(count, end)) {
    history.record(exchange);
    waiting += 1;
    // One after the other: the history has room for so many.
    if (waiting % 5000 === 0) await history.flush();
  }
  await history.flush();
  const written = await history.count({}, count + 1);
  if (written !== count) throw new Error(`Of ${count} exchanges ${written} were written.`);
  return performance.now() - began;
}

interface Measuring {
  readonly times: number;
  readonly rows: Rows;
}

async function measureCases(history: History, { times, rows }: Measuring): Promise<void> {
  const add = async (label: string, atMost: number, look: () => Promise<unknown>) => {
    const values = { gateway: await timed(times, look) };
    rows.add([label.replaceAll(/\W+/g, '-'), label], 'ms', { values, goal: { atMost } });
  };
  for (const [label, filter, atMost] of CASES) {
    // One after the other: they are not to disturb each other.
    await add(label, atMost, () => history.page({ filter, limit: PAGE }));
  }
  const half = await middle(history);
  const deep = { limit: PAGE, before: half };
  await add('deep down', FIRST_MS, () => history.page({ filter: {}, ...deep }));
  const streamed = { filter: { streamed: true, text: 'acme' }, ...deep };
  await add('deep down, filtered', FILTERED_MS, () => history.page(streamed));
  await add('counting all that streamed', FILTERED_MS, () =>
    history.count({ streamed: true }, 1e6),
  );
  await add('days, models and names', FILTERED_MS, () =>
    Promise.all([history.days(), history.perModel(), history.names()]),
  );
  await add('what needs attention', FILTERED_MS, () => history.attention());
}

/** The id of the exchange in the middle. */
async function middle(history: History): Promise<ExchangeId> {
  const count = await history.count({}, 10_000_000);
  return ExchangeId.parse(
    `ex-${Math.floor(count / 2)
      .toString(16)
      .padStart(16, '0')}`,
  );
}

async function timed(times: number, look: () => Promise<unknown>): Promise<number> {
  const took: number[] = [];
  for (let time = 0; time < times; time += 1) {
    const began = performance.now();
    // One after the other: each is measured alone.
    await look();
    took.push(performance.now() - began);
  }
  return median(took);
}
