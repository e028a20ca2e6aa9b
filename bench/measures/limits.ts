import { compareGateways } from './compare-gateways.ts';
import { type Measure, Rows } from '../measure.ts';

/** Measures what costs and limits add to a request: the same requests through a gateway with a price and four limits, and without. */
export const measureLimits: Measure = async (bench) => {
  const { rates, costs, mainCosts, laterCosts } = await compareGateways(bench, 'without limits');
  const label = `1 KiB chat, ${bench.scale.throughput.connections} connections, with a price and four limits`;
  return new Rows('limits')
    .add(['rate', label], 'req/s', { values: rates.medians })
    .add(['to-without', 'times without'], '×', {
      values: rates.ratiosTo('without limits'),
      goal: { atLeast: 0.95 },
    })
    .add(['cost', 'processor time for each'], 'µs', { values: costs.medians })
    .add(['cost.main', 'of which on the main thread'], 'µs', { values: mainCosts.medians })
    .add(['cost.later', 'and afterwards'], 'µs', { values: laterCosts.medians }).rows;
};
