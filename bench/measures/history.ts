import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { History } from '../../gateway/history/history.ts';
import { ExchangeId } from '../../shared/exchange/exchange.ts';
import type { HistoryCursor, HistoryFilter } from '../../shared/history/history.ts';
import { fillHistory, openHistoryFolder } from '../data/full-history.ts';
import { generateExchanges, MONTHS_MS, RARE_CLIENT, takeNext } from '../data/generate-exchanges.ts';
import { type Measure, Rows } from '../measure.ts';
import { median } from '../statistics.ts';

const PAGE = 100;
const FIRST_MS = 50;
const FILTERED_MS = 150;
const SEARCH_MS = 300;
const CLIENT = 'Cline';
const MODEL = 'acme/large-2026-05';

/** A case: its name, its filter, and its goal in milliseconds. */
type Case = readonly [label: string, filter: HistoryFilter, atMost: number];

/** The service of the generated exchanges, in use all the time. */
const IN_USE = {
  service: 'https://models.example.com',
  serviceName: 'Models',
  usedSince: 0,
  reachable: false,
  keyMendedAt: 0,
};

const CASES: readonly Case[] = [
  ['first page', {}, FIRST_MS],
  ['one client', { clients: [CLIENT] }, FILTERED_MS],
  ['a rare client', { clients: [RARE_CLIENT] }, FILTERED_MS],
  ['a rare client, repaired', { clients: [RARE_CLIENT], repaired: true }, FILTERED_MS],
  [
    'one model, 5xx, streamed',
    { models: [MODEL], statuses: [{ from: 500, to: 599 }], streamed: true },
    FILTERED_MS,
  ],
  ['failed', { failed: true }, FILTERED_MS],
  ['models by a pattern', { models: ['acme/*'] }, FILTERED_MS],
  ['all but one route', { not: { routes: ['chat'] } }, FILTERED_MS],
  ['slow ones', { duration: { from: 60_000 } }, FILTERED_MS],
  ['repaired', { repaired: true }, FILTERED_MS],
  ['a client and a route, nothing matches', { clients: [CLIENT], routes: ['files'] }, FILTERED_MS],
  [
    'all that is common, nothing matches',
    {
      statuses: [{ from: 300, to: 399 }],
      streamed: true,
      repaired: false,
      clients: [CLIENT],
      models: [MODEL],
    },
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

/** Measures queries of a full history, alone and while many exchanges are recorded. */
export const measureHistory: Measure = async ({ scale: { history: scale } }) => {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-bench-'));
  const now = Date.now();
  const { history, close } = await openHistoryFolder(folder, now);
  try {
    const rows = new Rows('history');
    const cpuTime = await fillHistory(history, { count: scale.rows, end: now });
    const label = `history of ${scale.rows} exchanges: processor time to write one`;
    rows.add(['write', label], 'µs', { values: { gateway: cpuTime / scale.rows } });
    await measureCases(history, { times: scale.times, rows });
    return rows.rows;
  } finally {
    await close();
    await rm(folder, { recursive: true, force: true });
  }
};

/** Pause after each query, so that exchanges recorded meanwhile are written. */
const WRITE_PAUSE_MS = 30;

type Query = () => Promise<unknown>;

interface Measuring {
  readonly times: number;
  readonly rows: Rows;
}

async function measureCases(history: History, { times, rows }: Measuring): Promise<void> {
  const add = async (label: string, atMost: number, look: Query) => {
    const durations: number[] = [];
    for (let time = 0; time < times; time += 1) {
      const start = performance.now();
      // One after the other, so that each is measured alone.
      await look();
      durations.push(performance.now() - start);
      await wait(WRITE_PAUSE_MS);
    }
    const values = { gateway: median(durations) };
    rows.add([label.replaceAll(/\W+/g, '-'), label], 'ms', { values, goal: { atMost } });
  };
  for (const [label, filter, atMost] of CASES) {
    // One after the other, so that they do not disturb each other.
    await add(label, atMost, () => history.page({ filter, limit: PAGE }));
  }
  const half = await findMiddle(history);
  const deep = { limit: PAGE, before: half };
  await add('deep down', FIRST_MS, () => history.page({ filter: {}, ...deep }));
  const streamed = { filter: { streamed: true, text: 'acme' }, ...deep };
  await add('deep down, filtered', FILTERED_MS, () => history.page(streamed));
  await add('counting all that streamed', FILTERED_MS, () =>
    history.count({ streamed: true }, 1e6),
  );
  await add('days, models and names', FILTERED_MS, () =>
    Promise.all([history.days('services'), history.perModel('services'), history.names()]),
  );
  await add('what needs attention', FILTERED_MS, () => history.attention(IN_USE));
  const streaming = { filter: { clients: [CLIENT], text: 'large' }, limit: PAGE };
  await using _ = recordMeanwhile(history);
  await add('first page, while 1000 a second are recorded', FIRST_MS, () =>
    history.page({ filter: {}, limit: PAGE }),
  );
  await add('client and word, meanwhile', SEARCH_MS, () => history.page(streaming));
}

/** Records 1000 exchanges per second until it is disposed. Throws when any was dropped. */
function recordMeanwhile(history: History): AsyncDisposable {
  const made = generateExchanges(1_000_000, Date.now() + MONTHS_MS);
  const timer = setInterval(() => {
    for (const exchange of takeNext(made, 20)) {
      history.record({ ...exchange, id: ExchangeId.parse(`ex-f${exchange.id.slice(4)}`) });
    }
  }, 20);
  return {
    [Symbol.asyncDispose]: async () => {
      clearInterval(timer);
      await history.flush();
      if (history.dropped > 0) throw new Error(`${history.dropped} exchanges were dropped.`);
    },
  };
}

/** Returns the id of the exchange in the middle. */
async function findMiddle(history: History): Promise<HistoryCursor> {
  const count = await history.count({}, 10_000_000);
  const digits = Math.floor(count / 2).toString(16);
  const middle = await history.get(ExchangeId.parse(`ex-${digits.padStart(16, '0')}`));
  const until = middle?.exchange.startedAt ?? 0;
  const { next } = await history.page({ filter: { until }, limit: 1 });
  if (next === null) throw new Error('There are too few exchanges.');
  return next;
}
