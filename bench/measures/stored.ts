import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Bodies } from '../../gateway/bodies/bodies.ts';
import type { ExchangeId } from '../../shared/exchange/exchange.ts';
import { fillChain } from '../data/continued-chain.ts';
import { fillBodies, toTurnId } from '../data/full-bodies.ts';
import { type Measure, Rows } from '../measure.ts';
import { median } from '../statistics.ts';

const OPEN_MS = 30;
const PAGE_MS = 20;
const LOOP_MS = 10;
const TEXT_MS = 500;
const PAGE = 50;
const NS_PER_MS = 1e6;
const US_PER_MS = 1e3;
/** No run has so many turns. */
const LONGEST_RUN = 999;

/** Measures how stored requests and responses are found and opened when there are many. */
export const measureStored: Measure = async ({ scale: { stored: scale } }) => {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-bench-'));
  const file = join(folder, 'bodies.db');
  let bodies = openBodies(file);
  try {
    const end = Date.now();
    await fillBodies(bodies, scale, end);
    const last = await fillChain(bodies, scale.chain, end);
    if (bodies.dropped > 0) throw new Error(`${bodies.dropped} exchanges were dropped.`);
    await bodies.close();
    const opened = await measureChain(file, last, scale);
    bodies = openBodies(file);
    return [...(await measureReads(bodies, scale)), ...opened];
  } finally {
    await bodies.close();
    await rm(folder, { recursive: true, force: true });
  }
};

function openBodies(file: string): Bodies {
  return new Bodies({
    file,
    log: () => undefined,
    secrets: () => ({ serviceKeys: [], localKeys: [] }),
    limits: () => ({ before: 0, bytes: Number.MAX_SAFE_INTEGER, none: false, clients: [] }),
    isKept: () => true,
    findKnown: (ids) => Promise.resolve(ids),
    findPinned: () => Promise.resolve([]),
    onSteps: () => undefined,
    onRecognised: () => Promise.resolve(),
  });
}

interface Stored {
  readonly runs: number;
  readonly turns: number;
  readonly times: number;
  readonly chain: number;
}

/** Measures how the last request of a chain is opened with all before it, each time in a thread that has read nothing. */
async function measureChain(file: string, last: ExchangeId, { chain, times }: Stored) {
  const durations: number[] = [];
  const costs: number[] = [];
  for (let time = 0; time < times; time += 1) {
    const bodies = openBodies(file);
    // An exchange that is not stored: this starts the thread. After a start it prunes.
    await bodies.read(toTurnId(0, LONGEST_RUN));
    await bodies.prune();
    const before = process.cpuUsage();
    const start = performance.now();
    const { earlier } = await bodies.read(last);
    durations.push(performance.now() - start);
    const { user, system } = process.cpuUsage(before);
    costs.push((user + system) / US_PER_MS);
    await bodies.close();
    if (earlier?.start !== 'whole' || earlier.count < chain) throw new Error('Messages are lost.');
  }
  const label = `opening the last of ${chain} requests that continue each other, first in its thread`;
  return new Rows('stored.chain')
    .add(['open', label], 'ms', { values: { gateway: median(durations) } })
    .add(['cost', 'processor time for it, all threads'], 'ms', {
      values: { gateway: median(costs) },
      goal: { atMost: OPEN_MS },
    }).rows;
}

async function measureReads(bodies: Bodies, { runs, turns, times }: Stored) {
  const rows = new Rows('stored');
  const { plain: bytes, stored } = await bodies.size();
  const label = `${runs * turns} exchanges of agents with ${Math.round(bytes / 1e6)} MB: times as large as on the disk`;
  rows.add(['factor', label], '×', { values: { gateway: bytes / stored }, goal: { atLeast: 20 } });
  const loop = monitorEventLoopDelay({ resolution: 1 });
  loop.enable();
  const add = async (
    what: readonly [string, string],
    atMost: number,
    read: (time: number) => Promise<unknown>,
  ) => {
    const durations: number[] = [];
    for (let time = 0; time < times; time += 1) {
      const start = performance.now();
      // One after the other, so that each is measured alone.
      await read(time);
      durations.push(performance.now() - start);
    }
    rows.add(what, 'ms', { values: { gateway: median(durations) }, goal: { atMost } });
  };
  // Each read is of another run, so that no frame is in memory yet.
  await add(['open', 'opening an exchange at the end of a chain'], OPEN_MS, async (time) => {
    const { state } = await bodies.read(toTurnId(time % runs, Math.min(turns, 16) - 1));
    if (state !== 'kept') throw new Error('An exchange is not stored.');
  });
  await add(['runs', 'first page of the runs'], PAGE_MS, async () => {
    await bodies.listRuns({ filter: {}, limit: PAGE, before: null });
  });
  await add(['search', 'runs with a word that none has'], PAGE_MS * 5, async () => {
    await bodies.listRuns({ filter: { text: 'zebra' }, limit: PAGE, before: null });
  });
  const { runs: page } = await bodies.listRuns({ filter: {}, limit: PAGE, before: null });
  await add(['run', 'opening a run with all its steps'], OPEN_MS, async (time) => {
    const id = page[time % page.length]?.id;
    if (id === undefined || (await bodies.readRun(id)) === null) throw new Error('A run is lost.');
  });
  await add(['text-one', 'text that one run has'], TEXT_MS, async (time) => {
    await search(bodies, { phrase: `Task ${time % runs}:`, atLeast: 1, atMost: turns });
  });
  await add(['text-all', 'text that all have, first page'], TEXT_MS, async () => {
    await search(bodies, { phrase: 'expected before', atLeast: PAGE, atMost: PAGE });
  });
  await add(['text-none', 'text that none has'], TEXT_MS, async () => {
    await search(bodies, { phrase: 'function zebra', atLeast: 0, atMost: 0 });
  });
  loop.disable();
  rows.add(['loop', 'event-loop delay meanwhile, p99'], 'ms', {
    values: { gateway: loop.percentile(99) / NS_PER_MS },
    goal: { atMost: LOOP_MS },
  });
  return rows.rows;
}

interface Search {
  readonly phrase: string;
  readonly atLeast: number;
  readonly atMost: number;
}

/** Searches the full text until more than so many are found, or to its end. @throws Error when there are fewer, or when it took too long to end */
async function search(bodies: Bodies, { phrase, atLeast, atMost }: Search): Promise<void> {
  let found = 0;
  for await (const { ids, state } of bodies.search([phrase], new AbortController().signal)) {
    found = ids.length;
    if (found > atMost) break;
    if (state === 'stopped') throw new Error(`The search for "${phrase}" did not end.`);
  }
  if (found < atLeast) throw new Error(`The search for "${phrase}" found ${found}.`);
}
