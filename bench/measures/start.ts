import { Client } from 'undici';
import { callOnce } from '../calls/in-turn.ts';
import { commandKind, startCommand } from '../command-process.ts';
import { ANSWER_BODY, REQUEST_BODY } from '../data/exchange.ts';
import { openTestBed } from '../test-bed.ts';
import { type Measure, Rows } from '../measure.ts';
import { median } from '../statistics.ts';

/** Measures the time from the start of the command with an empty data folder to the first right answer. */
export const measureStart: Measure = async ({ scale }) => {
  await using testBed = await openTestBed({
    service: 'instant',
    targets: ['direct'],
    profileDir: null,
  });
  const serviceUrl = testBed.targets[0]?.url ?? '';
  const durations: number[] = [];
  for (let time = 0; time < scale.start.times; time += 1) durations.push(await start(serviceUrl));
  const values = { gateway: median(durations) };
  const label = `start to first answer (${commandKind()})`;
  return new Rows('start').add(['median', label], 'ms', { values, goal: { atMost: 700 } }).rows;
};

async function start(serviceUrl: string): Promise<number> {
  const startedAt = performance.now();
  await using command = await startCommand(serviceUrl);
  const client = new Client(command.target.url);
  await callOnce(client, command.target, { body: REQUEST_BODY, expected: ANSWER_BODY });
  const duration = performance.now() - startedAt;
  await client.destroy();
  return duration;
}
