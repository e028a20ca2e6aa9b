import { setTimeout as pause } from 'node:timers/promises';
import type { AgentBed } from '../agent-bed.ts';
import { Observation, type Outcome, waitFor } from '../outcome.ts';
import type { AgentProgram } from '../program.ts';
import { MODEL } from '../script.ts';

const TIME_LIMIT_MS = 60_000;
/** The stream has begun so long after its request came. */
const STREAM_BEGINS_MS = 1_500;
const ENDS_WITHIN_MS = 10_000;
/** Its streams are silent for 20 seconds after the fifth event. */
const SILENT_MODEL = 'sandbox/silent-stream';

/** Interrupts a program in the middle of an answer. It must end, and its exchange be recorded as ended by the client. */
export async function tryInterruption(program: AgentProgram, bed: AgentBed): Promise<Outcome> {
  const observation = new Observation();
  await bed.play(null);
  const before = (await bed.exchanges()).length;
  let interruptedAt = Number.NaN;
  const interrupt = async () => {
    await bed.sandbox.nextRequest();
    await pause(STREAM_BEGINS_MS);
    interruptedAt = performance.now();
  };
  const end = await bed.run({
    arguments: program.toArguments('Say something long.'),
    edit: (text) => text.replaceAll(MODEL, SILENT_MODEL),
    timeLimitMs: TIME_LIMIT_MS,
    interruption: interrupt(),
  });
  const endedAfterMs = performance.now() - interruptedAt;
  observation.expect('it ends when it is interrupted', endedAfterMs < ENDS_WITHIN_MS);
  const ended = await waitFor(async () => {
    const exchanges = (await bed.exchanges()).slice(before);
    return exchanges.find(({ method, endedBy }) => method === 'POST' && endedBy === 'client');
  });
  observation.expect('its exchange is recorded as ended by the client', ended !== undefined);
  const closed = await Promise.all(
    bed.sandbox.requests.map(async (request) => await request.closed),
  );
  observation.expect('the service is told', closed.includes('aborted'));
  observation.see(`ended after ${(endedAfterMs / 1_000).toFixed(1)} s`);
  return observation.toOutcomeOf(end.shown);
}
