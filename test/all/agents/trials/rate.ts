import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import type { ExchangeRecord } from '../../../../shared/exchange/exchange.ts';
import type { AgentBed } from '../agent-bed.ts';
import { Observation, type Outcome } from '../outcome.ts';
import type { AgentProgram } from '../program.ts';
import { findRefused, findShown } from './refusals.ts';
import { FINAL_TEXT, PROMPT } from '../script.ts';

const TIME_LIMIT_MS = 240_000;
/** The task begins between these seconds of a minute, so that it meets the limit before the minute ends. */
const EARLIEST_S = 15;
const LATEST_S = 35;
const Headers = z.object({
  headers: z.object({ returned: z.array(z.tuple([z.string(), z.string()])) }),
});

/** Runs a program that needs more requests than its limit of a minute. It must wait as long as it is told, or show why it does not. */
export async function tryRateLimit(program: AgentProgram, bed: AgentBed): Promise<Outcome> {
  const observation = new Observation();
  const limit = ['--client', bed.connection.client, '--requests', '2', '--per', 'minute'];
  await bed.machine.json(['limits', 'set', ...limit]);
  await pause(toDelay(new Date().getSeconds()));
  const end = await bed.prompt(PROMPT, TIME_LIMIT_MS);
  const exchanges = await bed.exchanges();
  const { main, beside } = await findRefused(bed, exchanges);
  const retryAfter = await Promise.all(main.map((exchange) => findRetryAfter(bed, exchange)));
  const hasFinished = end.shown.includes(FINAL_TEXT);
  const shown = findShown(end.shown);
  observation.see(
    `${main.length} refused${retryAfter[0] === undefined ? '' : `, the first with \`Retry-After: ${retryAfter[0]}\``}`,
  );
  if (beside > 0) observation.see(`${beside} refused beside it`);
  observation.see(hasFinished ? 'it finished the task' : 'it gave up');
  observation.see(`ended after ${(end.durationMs / 1_000).toFixed(0)} s`);
  observation.expect('it ends in time', !end.isTimedOut);
  observation.expect('it is refused', main.length + beside > 0);
  observation.expect(
    'the status is 429, with a Retry-After of at most a minute',
    main.every(({ status }) => status === 429) &&
      retryAfter.every((seconds) => seconds !== undefined && seconds > 0 && seconds <= 60),
  );
  observation.expect('it finishes, or shows the limit', hasFinished || shown !== null);
  return observation.toOutcome(shown ?? (hasFinished ? null : end.shown.slice(-1_000)));
}

/** Returns the milliseconds until the task may begin. */
function toDelay(second: number): number {
  const isNow = second >= EARLIEST_S && second <= LATEST_S;
  return isNow ? 0 : ((60 + EARLIEST_S - second) % 60) * 1_000;
}

async function findRetryAfter(
  { machine }: AgentBed,
  { id }: ExchangeRecord,
): Promise<number | undefined> {
  const { headers } = Headers.parse(await machine.json(['history', id]));
  const value = headers.returned.find(([name]) => name === 'retry-after')?.[1];
  return value === undefined ? undefined : Number(value);
}
