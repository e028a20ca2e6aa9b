import { type Measure, Rows } from '../measure.ts';
import { openTestBed } from '../test-bed.ts';
import { measureDelays } from './streams.ts';

/** Measures what keeping a stream adds to the delay of each of its chunks: the same streams through a gateway with and without bodies. */
export const measureChunks: Measure = async ({ scale, profileDir }) => {
  const { streams, events, everyMs, rounds } = scale.chunks;
  await using testBed = await openTestBed({
    service: 'streaming',
    targets: ['gateway', 'without bodies'],
    profileDir,
  });
  const { p50, p99 } = await measureDelays(testBed, { streams, events, everyMs }, rounds);
  const { failed, bodies } = await testBed.readGatewayStats();
  if (failed > 0) throw new Error(`The history calls ${failed} complete streams failed.`);
  const sent = streams * (rounds + 1);
  if (bodies.exchanges !== sent)
    throw new Error(`The bodies of ${bodies.exchanges} of ${sent} streams are stored.`);
  const label = `${streams} streams, a chunk every ${everyMs} ms, kept: delay of a chunk, p50`;
  return new Rows('chunks')
    .add(['p50', label], 'ms', { values: p50.medians })
    .add(['p99', 'delay, p99'], 'ms', { values: p99.medians })
    .add(['added.p50', 'added over without, p50'], 'ms', { values: p50.over('without bodies') })
    .add(['added.p99', 'added over without, p99'], 'ms', {
      values: p99.over('without bodies'),
      goal: { atMost: 0.05 },
    })
    .add(['times.p99', 'times without, p99'], '×', { values: p99.ratiosTo('without bodies') }).rows;
};
