import type { Bench } from '../measure.ts';
import type { TargetName } from '../target.ts';
import { type GatewayStats, openTestBed } from '../test-bed.ts';
import { type LoadFigures, loadInTurn } from './load-in-turn.ts';

/** Loads the gateway and a gateway with other settings in turn. */
export async function compareGateways(
  bench: Bench,
  other: TargetName,
): Promise<LoadFigures & { readonly stats: GatewayStats }> {
  await using testBed = await openTestBed({
    service: 'instant',
    targets: ['gateway', other],
    profileDir: bench.profileDir,
  });
  const figures = await loadInTurn(testBed, bench);
  return { ...figures, stats: await testBed.readGatewayStats() };
}
