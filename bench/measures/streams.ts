import { z } from 'zod';
import { openTestBed, type TestBed } from '../test-bed.ts';
import { type Measure, Rows } from '../measure.ts';
import { Figures, rotate } from '../rounds.ts';
import { quantile } from '../statistics.ts';

/** Measures the delay of events, from their creation in the service to their arrival, with many concurrent streams. */
export const measureStreams: Measure = async ({ scale, profileDir }) => {
  const { streams, events, everyMs } = scale.streams;
  await using testBed = await openTestBed({
    service: 'streaming',
    targets: ['direct', 'gateway', 'http-proxy', 'nginx'],
    profileDir,
  });
  const { p50, p99 } = await measureDelays(testBed, { streams, events, everyMs }, scale.rounds);
  const { loopDelayP99, failed } = await testBed.readGatewayStats();
  if (failed > 0) throw new Error(`The history calls ${failed} complete streams failed.`);
  const label = `${streams} streams, an event every ${everyMs} ms: delay, p50`;
  return new Rows('streams')
    .add(['p50', label], 'ms', { values: p50.medians })
    .add(['p99', 'delay, p99'], 'ms', { values: p99.medians })
    .add(['added.p50', 'added over direct, p50'], 'ms', { values: p50.over('direct') })
    .add(['added.p99', 'added over direct, p99'], 'ms', {
      values: p99.over('direct'),
      goal: { atMost: 2 },
    })
    .add(['loop', 'event-loop delay, p99'], 'ms', { values: { gateway: loopDelayP99 } }).rows;
};

/** The streams of a round: how many at once, how many events each has, and the time between two. */
interface StreamPlan {
  readonly streams: number;
  readonly events: number;
  readonly everyMs: number;
}

/** Measures the delays of events at each target, in rounds after a first one that does not count. */
export async function measureDelays(testBed: TestBed, plan: StreamPlan, rounds: number) {
  const delays = z.instanceof(Float64Array);
  const measure = (target: TestBed['targets'][number]) =>
    testBed.caller.call('streamed', { ...plan, spreadMs: plan.everyMs, target }, delays);
  const p50 = new Figures();
  const p99 = new Figures();
  for (const target of testBed.targets) await measure(target);
  for (let round = 0; round < rounds; round += 1) {
    for (const target of rotate(testBed.targets, round)) {
      const all = await measure(target);
      p50.add(target.name, quantile(all, 0.5));
      p99.add(target.name, quantile(all, 0.99));
    }
  }
  return { p50, p99 };
}
