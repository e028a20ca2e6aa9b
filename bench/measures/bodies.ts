import { compareGateways } from './compare-gateways.ts';
import { type Measure, Rows } from '../measure.ts';

/** Measures what it costs to keep requests and responses: the same requests through a gateway with and without them. */
export const measureBodies: Measure = async (bench) => {
  const { rates, costs, mainCosts, laterCosts, stats } = await compareGateways(
    bench,
    'without bodies',
  );
  const { recorded, loopDelayP99, bodies } = stats;
  const label = `1 KiB chat, ${bench.scale.throughput.connections} connections, with requests and responses kept`;
  return new Rows('bodies')
    .add(['rate', label], 'req/s', { values: rates.medians })
    .add(['to-without', 'times without'], '×', {
      values: rates.ratiosTo('without bodies'),
      goal: { atLeast: 0.9 },
    })
    .add(['cost', 'processor time for each'], 'µs', { values: costs.medians })
    .add(['cost.main', 'of which on the main thread'], 'µs', { values: mainCosts.medians })
    .add(['cost.later', 'and afterwards'], 'µs', { values: laterCosts.medians })
    .add(['kept', 'exchanges whose bodies are stored'], '%', {
      values: { gateway: (100 * bodies.exchanges) / Math.max(1, recorded) },
    })
    .add(['disk', 'disk for 10,000 exchanges'], 'MB', {
      values: { gateway: (bodies.stored / Math.max(1, bodies.exchanges)) * 0.01 },
    })
    .add(['loop', 'event-loop delay, p99'], 'ms', { values: { gateway: loopDelayP99 } }).rows;
};
