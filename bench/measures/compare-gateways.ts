import type { Bench } from '../measure.ts';
import { createLoader } from './throughput.ts';
import { Figures, rotate } from '../rounds.ts';
import type { TargetName } from '../target.ts';
import { type GatewayStats, openTestBed } from '../test-bed.ts';

/** The figures of two gateways under the same load. */
export interface Comparison {
  /** Requests per second. */
  readonly rates: Figures;
  /** Processor time for a request in microseconds. */
  readonly costs: Figures;
  /** Its part on the main thread. */
  readonly mainCosts: Figures;
  readonly stats: GatewayStats;
}

/** Loads the gateway and a gateway with other settings in turn. */
export async function compareGateways(
  { scale, profileDir }: Bench,
  other: TargetName,
): Promise<Comparison> {
  const { connections, warmUp, seconds } = scale.throughput;
  await using testBed = await openTestBed({
    service: 'instant',
    targets: ['gateway', other],
    profileDir,
  });
  const load = createLoader(testBed, connections);
  const [rates, costs, mainCosts] = [new Figures(), new Figures(), new Figures()];
  for (const target of warmUp === 0 ? [] : testBed.targets) await load(target, warmUp);
  for (let round = 0; round < scale.rounds; round += 1) {
    for (const target of rotate(testBed.targets, round)) {
      const all = await testBed.processorTime(target.name);
      const main = await testBed.mainThreadTime(target.name);
      const { requests, perSecond } = await load(target, seconds);
      rates.add(target.name, perSecond);
      const allAfter = await testBed.processorTime(target.name);
      const mainAfter = await testBed.mainThreadTime(target.name);
      if (all !== null && allAfter !== null) costs.add(target.name, (allAfter - all) / requests);
      if (main !== null && mainAfter !== null)
        mainCosts.add(target.name, (mainAfter - main) / requests);
    }
  }
  return { rates, costs, mainCosts, stats: await testBed.readGatewayStats() };
}
