import type { AgentBed } from '../agent-bed.ts';
import { Observation, type Outcome } from '../outcome.ts';
import type { AgentProgram } from '../program.ts';
import { findRefused, findShown } from './refusals.ts';
import { PROMPT } from '../script.ts';

const TIME_LIMIT_MS = 120_000;

/** Runs a program whose allowance of the day is used up. It must be refused once, and show why. */
export async function tryUsedUpLimit(program: AgentProgram, bed: AgentBed): Promise<Outcome> {
  const observation = new Observation();
  const limit = ['--client', bed.connection.client, '--requests', '1', '--per', 'day'];
  await bed.machine.json(['limits', 'set', ...limit]);
  const before = (await bed.exchanges()).length;
  const charges = bed.sandbox.charges;
  const end = await bed.prompt(PROMPT, TIME_LIMIT_MS);
  const exchanges = (await bed.exchanges()).slice(before);
  const { main, beside } = await findRefused(bed, exchanges);
  const statuses = [...new Set(main.map(({ status }) => status))].join(', ');
  observation.see(`${main.length} request, refused with ${statuses}`);
  if (beside > 0) observation.see(`${beside} refused beside it`);
  observation.see(`ended after ${(end.durationMs / 1_000).toFixed(0)} s`);
  const status = program.protocol === 'responses' ? 400 : 402;
  observation.expect('it ends in time', !end.isTimedOut);
  observation.expect('its main conversation sends one request', main.length === 1);
  observation.expect(`the status is ${status}`, statuses === String(status));
  observation.expect('the service gets nothing', bed.sandbox.charges === charges);
  const shown = findShown(end.shown);
  const parts = [`The limit of ${bed.connection.client} is 1 request per day`, 'It resets at '];
  observation.expect(
    'it shows the limit and when it resets',
    parts.every((part) => shown?.includes(part) === true),
  );
  return observation.toOutcome(shown ?? end.shown.slice(-1_000));
}
