import { Client } from 'undici';
import { callOnce } from '../calls/paired.ts';
import { commandKind, startCommand } from '../command.ts';
import { ANSWER_BODY, REQUEST_BODY } from '../exchange.ts';
import { openLineup } from '../lineup.ts';
import { type Measure, Rows } from '../measure.ts';
import { median } from '../statistics.ts';

/** From the start of the command on an empty data folder to the first right answer through it. */
export const measureStart: Measure = async ({ scale }) => {
  await using lineup = await openLineup({
    service: 'instant',
    doors: ['direct'],
    profileDir: null,
  });
  const serviceUrl = lineup.doors[0]?.url ?? '';
  const took: number[] = [];
  for (let time = 0; time < scale.start.times; time += 1) took.push(await start(serviceUrl));
  const values = { gateway: median(took) };
  const label = `start to first answer (${commandKind()})`;
  return new Rows('start').add(['median', label], 'ms', { values, goal: { atMost: 700 } }).rows;
};

async function start(serviceUrl: string): Promise<number> {
  const began = performance.now();
  await using command = await startCommand(serviceUrl);
  const client = new Client(command.door.url);
  await callOnce(client, command.door, { body: REQUEST_BODY, expected: ANSWER_BODY });
  const took = performance.now() - began;
  await client.destroy();
  return took;
}
