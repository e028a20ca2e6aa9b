import { z } from 'zod';
import { commandKind, startCommand } from '../command.ts';
import { openLineup } from '../lineup.ts';
import { type Measure, Rows } from '../measure.ts';
import type { ByDoor } from '../rounds.ts';

/** Very many streams at the same time through a fresh command: all of them whole, and how much memory it ever held. */
export const measureMemory: Measure = async ({ scale }) => {
  const { streams, events, everyMs, spreadMs } = scale.memory;
  await using lineup = await openLineup({
    service: 'talking',
    doors: ['direct'],
    profileDir: null,
  });
  await using command = await startCommand(lineup.doors[0]?.url ?? '');
  const before = await command.mostMemory();
  const plan = { door: command.door, streams, events, everyMs, spreadMs };
  const delays = await lineup.caller.ask('streamed', plan, z.instanceof(Float64Array));
  const atOnce = await lineup.mostStreams();
  const most = await command.mostMemory();
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
      values: megabytes(most),
      goal: { atMost: 250 },
    })
    .add(['before', 'most memory held before them'], 'MB', { values: megabytes(before) }).rows;
};

function megabytes(bytes: number | null): ByDoor {
  return bytes === null ? {} : { gateway: bytes / 1e6 };
}
