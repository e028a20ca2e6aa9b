import { z } from 'zod';
import type { Target } from '../target.ts';
import { ANSWER_BODY, REQUEST_BODY } from '../data/exchange.ts';
import { type GatewayStats, type TestBed, openTestBed } from '../test-bed.ts';
import { type Measure, Rows } from '../measure.ts';
import { Figures, rotate } from '../rounds.ts';
import { hasWrk, runWrk } from '../wrk.ts';

/** Measures the maximum rate of 1 KB requests on a few connections, with the effect on the gateway's history and event loop. */
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
  let answered = 0;
  for (const target of warmUp === 0 ? [] : testBed.targets) await load(target, warmUp);
  for (let round = 0; round < scale.rounds; round += 1) {
    for (const target of rotate(testBed.targets, round)) {
      const before = await testBed.processorTime(target.name);
      const { requests, perSecond } = await load(target, seconds);
      const after = await testBed.processorTime(target.name);
      rates.add(target.name, perSecond);
      if (before !== null && after !== null) costs.add(target.name, (after - before) / requests);
      if (target.name === 'gateway') answered += requests;
    }
  }
  const stats = await testBed.readGatewayStats();
  const gateway = { recorded: recordedPercent(stats, answered), loop: stats.loopDelayP99 };
  const label = `1 KB chat, ${connections} connections`;
  return new Rows('throughput')
    .add(['rate', label], 'req/s', { values: rates.medians })
    .add(['to-direct', 'times direct'], '×', { values: rates.ratiosTo('direct') })
    .add(['to-http-proxy', 'times http-proxy'], '×', {
      values: rates.ratiosTo('http-proxy'),
      goal: { atLeast: 1.3 },
    })
    .add(['cost', 'processor time for each'], 'µs', { values: costs.medians })
    .add(['history', 'exchanges recorded in the history'], '%', {
      values: { gateway: gateway.recorded },
    })
    .add(['loop', 'event-loop delay, p99'], 'ms', { values: { gateway: gateway.loop } }).rows;
};

const Counted = z.object({ requests: z.number(), perSecond: z.number() });
type Load = (target: Target, seconds: number) => Promise<z.infer<typeof Counted>>;

function createLoader({ caller }: TestBed, connections: number): Load {
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
