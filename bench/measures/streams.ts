import { z } from 'zod';
import { openTestBed } from '../test-bed.ts';
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
  const plan = { streams, events, everyMs, spreadMs: everyMs };
  const delays = z.instanceof(Float64Array);
  const p50 = new Figures();
  const p99 = new Figures();
  for (const target of testBed.targets)
    await testBed.caller.call('streamed', { ...plan, target }, delays);
  for (let round = 0; round < scale.rounds; round += 1) {
    for (const target of rotate(testBed.targets, round)) {
      const all = await testBed.caller.call('streamed', { ...plan, target }, delays);
      p50.add(target.name, quantile(all, 0.5));
      p99.add(target.name, quantile(all, 0.99));
    }
  }
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
