import { z } from 'zod';
import { openLineup } from '../lineup.ts';
import { type Measure, Rows } from '../measure.ts';

const MEGABYTE = 1024 * 1024;

/** Very many streams at the same time through a fresh gateway: all of them whole, and how much memory it ever held. */
export const measureMemory: Measure = async ({ scale, profileDir }) => {
  const { streams, events, everyMs, spreadMs } = scale.memory;
  await using lineup = await openLineup({ service: 'talking', doors: ['gateway'], profileDir });
  const before = await lineup.lookAtGateway();
  const [door] = lineup.doors;
  const plan = { door, streams, events, everyMs, spreadMs };
  const delays = await lineup.caller.ask('streamed', plan, z.instanceof(Float64Array));
  const atOnce = await lineup.mostStreams();
  const { mostResident, recorded, failed } = await lineup.lookAtGateway();
  if (failed > 0 || recorded !== streams) {
    throw new Error(`The history has ${recorded} of ${streams} streams, ${failed} failed.`);
  }
  return new Rows('memory')
    .add(['whole', `${streams} streams: whole, byte for byte`], '', {
      values: { gateway: delays.length / events },
      goal: { atLeast: streams },
    })
    .add(['at-once', 'on their way at once'], '', {
      values: { gateway: atOnce },
      goal: { atLeast: streams },
    })
    .add(['most', 'most memory ever held'], 'MB', {
      values: { gateway: mostResident / MEGABYTE },
      goal: { atMost: 250 },
    })
    .add(['before', 'most memory held before'], 'MB', {
      values: { gateway: before.mostResident / MEGABYTE },
    }).rows;
};
