import { z } from 'zod';
import { ANSWER_BODY, REQUEST_BODY } from '../data/exchange.ts';
import { type GatewayStats, type TestBed, openTestBed } from '../test-bed.ts';
import { type Measure, Rows } from '../measure.ts';
import { Figures } from '../rounds.ts';
import { quantile } from '../statistics.ts';

/** Measures sequential requests of 1 KiB on a keep-alive connection to each target: the time added over direct, and the overhead that the gateway recorded. */
export const measureLatency: Measure = async ({ scale, profileDir }) => {
  const { warmUp, times } = scale.latency;
  await using testBed = await openTestBed({
    service: 'instant',
    targets: ['direct', 'gateway', 'http-proxy', 'nginx'],
    profileDir,
  });
  const total = new Figures();
  const added50 = new Figures();
  const added99 = new Figures();
  await measureRound(testBed, warmUp);
  for (let round = 0; round < scale.rounds; round += 1) {
    const durations = await measureRound(testBed, times);
    const direct = durations[0] ?? [];
    for (const [place, { name }] of testBed.targets.entries()) {
      const own = durations[place] ?? [];
      total.add(name, quantile(own, 0.5));
      if (name === 'direct') continue;
      const added = own.map((time, turn) => time - (direct[turn] ?? Number.NaN));
      added50.add(name, quantile(added, 0.5));
      added99.add(name, quantile(added, 0.99));
    }
  }
  const stats = await testBed.readGatewayStats();
  checkHistory(stats, warmUp + times * scale.rounds);
  const { overheadP50, overheadP99 } = stats;
  return new Rows('latency')
    .add(['p50', '1 KiB chat, one at a time: p50'], 'ms', { values: total.medians })
    .add(['added.p50', 'added over direct, p50'], 'ms', {
      values: added50.medians,
      goal: { atMost: 0.25 },
    })
    .add(['added.p99', 'added over direct, p99'], 'ms', {
      values: added99.medians,
      goal: { atMost: 2 },
    })
    .add(['recorded.p50', 'overhead as recorded, p50'], 'ms', { values: { gateway: overheadP50 } })
    .add(['recorded.p99', 'overhead as recorded, p99'], 'ms', { values: { gateway: overheadP99 } })
    .rows;
};

async function measureRound({ caller, targets }: TestBed, times: number): Promise<number[][]> {
  const plan = { targets, body: REQUEST_BODY, expected: ANSWER_BODY, times };
  return await caller.call('paired', plan, z.array(z.array(z.number())));
}

function checkHistory({ recorded, failed }: GatewayStats, expected: number): void {
  if (failed === 0 && recorded === expected) return;
  throw new Error(`The history has ${recorded} of ${expected} exchanges, ${failed} failed.`);
}
