import { z } from 'zod';
import type { Target, TargetName } from '../target.ts';
import { ANSWER_BODY, REQUEST_BODY } from '../data/exchange.ts';
import { type GatewayStats, type TestBed, openTestBed } from '../test-bed.ts';
import { type Measure, Rows } from '../measure.ts';
import { Figures, rotate } from '../rounds.ts';
import { hasWrk, runWrk } from '../wrk.ts';

/** Measures the maximum rate of 1 KiB requests on a few connections, with the effect on the gateway's history and event loop. */
export const measureThroughput: Measure = async ({ scale, profileDir }) => {
  const { connections, warmUp, seconds } = scale.throughput;
  await using testBed = await openTestBed({
    service: 'instant',
    targets: ['direct', 'gateway', 'http-proxy', 'nginx'],
    profileDir,
  });
  const load = createLoader(testBed, connections);
  const rates = new Figures();
  const costs = new Figures();
  const mainCosts = new Figures();
  let answered = 0;
  for (const target of warmUp === 0 ? [] : testBed.targets) await load(target, warmUp);
  for (let round = 0; round < scale.rounds; round += 1) {
    for (const target of rotate(testBed.targets, round)) {
      const before = await readTimes(testBed, target.name);
      const { requests, perSecond } = await load(target, seconds);
      const after = await readTimes(testBed, target.name);
      rates.add(target.name, perSecond);
      if (before.all !== null && after.all !== null) {
        costs.add(target.name, (after.all - before.all) / requests);
      }
      if (before.main !== null && after.main !== null) {
        mainCosts.add(target.name, (after.main - before.main) / requests);
      }
      if (target.name === 'gateway') answered += requests;
    }
  }
  const stats = await testBed.readGatewayStats();
  const gateway = { recorded: recordedPercent(stats, answered), loop: stats.loopDelayP99 };
  const label = `1 KiB chat, ${connections} connections`;
  return new Rows('throughput')
    .add(['rate', label], 'req/s', { values: rates.medians })
    .add(['to-direct', 'times direct'], '×', { values: rates.ratiosTo('direct') })
    .add(['to-http-proxy', 'times http-proxy'], '×', {
      values: rates.ratiosTo('http-proxy'),
      goal: { atLeast: 1.1 },
    })
    .add(['cost', 'processor time for each'], 'µs', {
      values: costs.medians,
      goal: { atMost: 75 },
    })
    .add(['cost.main', 'of which on the main thread'], 'µs', {
      values: mainCosts.medians,
      goal: { atMost: 55 },
    })
    .add(['history', 'exchanges recorded in the history'], '%', {
      values: { gateway: gateway.recorded },
    })
    .add(['loop', 'event-loop delay, p99'], 'ms', { values: { gateway: gateway.loop } }).rows;
};

interface ProcessTimes {
  readonly all: number | null;
  readonly main: number | null;
}

async function readTimes(testBed: TestBed, name: TargetName): Promise<ProcessTimes> {
  return { all: await testBed.processorTime(name), main: await testBed.mainThreadTime(name) };
}

const Counted = z.object({ requests: z.number(), perSecond: z.number() });
type Load = (target: Target, seconds: number) => Promise<z.infer<typeof Counted>>;

/** Creates the load on the given number of connections: by `wrk` where it is installed. */
export function createLoader({ caller }: TestBed, connections: number): Load {
  const exchange = { body: REQUEST_BODY, expected: ANSWER_BODY, connections };
  if (hasWrk()) return async (target, seconds) => await runWrk({ ...exchange, target, seconds });
  return async (target, seconds) =>
    await caller.call('saturated', { ...exchange, target, seconds }, Counted);
}

function recordedPercent({ recorded, dropped }: GatewayStats, answered: number): number {
  if (recorded + dropped < answered) {
    throw new Error(`The history has ${recorded + dropped} of ${answered} exchanges.`);
  }
  return (100 * recorded) / (recorded + dropped);
}
