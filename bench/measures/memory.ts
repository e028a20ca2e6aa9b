import { z } from 'zod';
import { commandKind, startCommand } from '../command-process.ts';
import { openTestBed } from '../test-bed.ts';
import { type Measure, Rows } from '../measure.ts';
import type { ByTarget } from '../rounds.ts';

/** Measures the peak memory of a new command with very many concurrent streams, all of which must be complete. */
export const measureMemory: Measure = async ({ scale }) => {
  const { streams, events, everyMs, spreadMs } = scale.memory;
  await using testBed = await openTestBed({
    service: 'streaming',
    targets: ['direct'],
    profileDir: null,
  });
  await using command = await startCommand(testBed.targets[0]?.url ?? '');
  const before = await command.peakMemory();
  const plan = { target: command.target, streams, events, everyMs, spreadMs };
  const delays = await testBed.caller.call('streamed', plan, z.instanceof(Float64Array));
  const atOnce = await testBed.peakStreams();
  const peak = await command.peakMemory();
  const recorded = await command.stopAndCount();
  if (recorded !== streams) {
    throw new Error(`The history has ${recorded} of ${streams} successful streams.`);
  }
  const complete = { gateway: delays.length / events };
  return new Rows('memory')
    .add(['whole', `${streams} streams: complete, byte for byte`], '', {
      values: complete,
      goal: { atLeast: streams },
    })
    .add(['at-once', 'concurrent streams'], '', {
      values: { gateway: atOnce },
      goal: { atLeast: streams },
    })
    .add(['most', `peak memory (${commandKind()})`], 'MB', {
      values: toMegabytes(peak),
      goal: { atMost: 200 },
    })
    .add(['before', 'peak memory before them'], 'MB', { values: toMegabytes(before) }).rows;
};

function toMegabytes(bytes: number | null): ByTarget {
  return bytes === null ? {} : { gateway: bytes / 1e6 };
}
