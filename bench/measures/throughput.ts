import { type GatewayStats, openTestBed } from '../test-bed.ts';
import { type Measure, Rows } from '../measure.ts';
import { loadInTurn } from './load-in-turn.ts';

/** Measures the maximum rate of 1 KiB requests on a few connections, with the effect on the gateway's history and event loop. */
export const measureThroughput: Measure = async (bench) => {
  await using testBed = await openTestBed({
    service: 'instant',
    targets: ['direct', 'gateway', 'http-proxy', 'nginx'],
    profileDir: bench.profileDir,
  });
  const { rates, costs, mainCosts, laterCosts, answered } = await loadInTurn(testBed, bench);
  const stats = await testBed.readGatewayStats();
  const gateway = { recorded: recordedPercent(stats, answered), loop: stats.loopDelayP99 };
  const label = `1 KiB chat, ${bench.scale.throughput.connections} connections`;
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
    .add(['cost.later', 'and afterwards'], 'µs', { values: laterCosts.medians })
    .add(['history', 'exchanges recorded in the history'], '%', {
      values: { gateway: gateway.recorded },
    })
    .add(['loop', 'event-loop delay, p99'], 'ms', { values: { gateway: gateway.loop } }).rows;
};

function recordedPercent({ recorded, dropped }: GatewayStats, answered: number): number {
  if (recorded + dropped < answered) {
    throw new Error(`The history has ${recorded + dropped} of ${answered} exchanges.`);
  }
  return (100 * recorded) / (recorded + dropped);
}
