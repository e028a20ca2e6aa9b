import { Client } from 'undici';
import { callOnce } from '../calls/in-turn.ts';
import { commandKind, startCommand, timeNpmStart } from '../command-process.ts';
import { ANSWER_BODY, REQUEST_BODY } from '../data/exchange.ts';
import { openTestBed } from '../test-bed.ts';
import { type Measure, Rows } from '../measure.ts';
import { median } from '../statistics.ts';

/** Measures two starts with an empty data folder: of the command to the first right answer, and of `npm start` to the printed link. */
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
  // The first one builds the window where it is missing.
  await timeNpmStart();
  const npmStarts: number[] = [];
  for (let time = 0; time < scale.start.times; time += 1) npmStarts.push(await timeNpmStart());
  return new Rows('start')
    .add(['median', label], 'ms', { values, goal: { atMost: 150 } })
    .add(['npm', '`npm start` to the printed link'], 'ms', {
      values: { gateway: median(npmStarts) },
      goal: { atMost: 1500 },
    }).rows;
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
