import { z } from 'zod';
import { commandKind, startCommand } from '../command-process.ts';
import { openTestBed } from '../test-bed.ts';
import { type Measure, Rows } from '../measure.ts';
import type { ByTarget } from '../rounds.ts';

/** Very many streams at the same time through a fresh command: all of them whole, and how much memory it ever held. */
export const measureMemory: Measure = async ({ scale }) => {
  const { streams, events, everyMs, spreadMs } = scale.memory;
  await using testBed = await openTestBed({
    service: 'talking',
    doors: ['direct'],
    profileDir: null,
  });
  await using command = await startCommand(testBed.targets[0]?.url ?? '');
  const before = await command.peakMemory();
  const plan = { target: command.target, streams, events, everyMs, spreadMs };
  const delays = await testBed.caller.call('streamed', plan, z.instanceof(Float64Array));
  const atOnce = await testBed.peakStreams();
  const most = await command.peakMemory();
  const recorded = await command.stopAndCount();
  if (recorded !== streams) {
    throw new Error(`The history has ${recorded} of ${streams} streams with a good end.`);
  }
  const whole = { gateway: delays.length / events };
  return new Rows('memory')
    .add(['whole', `${streams} streams: whole, byte for byte`], '', {
      values: whole,
      goal: { atLeast: streams },
    })
    .add(['at-once', 'on their way at once'], '', {
      values: { gateway: atOnce },
      goal: { atLeast: streams },
    })
    .add(['most', `most memory ever held (${commandKind()})`], 'MB', {
      values: toMegabytes(most),
      goal: { atMost: 250 },
    })
    .add(['before', 'most memory held before them'], 'MB', { values: toMegabytes(before) }).rows;
};

function toMegabytes(bytes: number | null): ByTarget {
  return bytes === null ? {} : { gateway: bytes / 1e6 };
}
