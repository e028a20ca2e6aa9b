import type { AgentBed } from '../agent-bed.ts';
import { Observation, type Outcome } from '../outcome.ts';
import type { AgentProgram } from '../program.ts';
import { findRefused, findShown } from './refusals.ts';
import { PROMPT } from '../script.ts';

const TIME_LIMIT_MS = 120_000;

/** Runs a program whose allowance of the day is used up. It must be refused once, and show why. */
export async function tryUsedUpLimit(program: AgentProgram, bed: AgentBed): Promise<Outcome> {
  const { client } = bed.connection;
  await bed.machine.json(['limits', 'set', '--client', client, '--requests', '1', '--per', 'day']);
  return await tryRefusal(bed, {
    status: toLimitStatus(program),
    mayCharge: 0,
    shows: [`The limit of ${client} is 1 request per day`, 'It resets at '],
  });
}

/** Runs a program whose run may have fewer requests than its task needs. It must be refused once, and show why. */
export async function tryRunLimit(program: AgentProgram, bed: AgentBed): Promise<Outcome> {
  const { client } = bed.connection;
  await bed.machine.json(['limits', 'set', '--client', client, '--run', '--requests', '3']);
  return await tryRefusal(bed, {
    status: toLimitStatus(program),
    mayCharge: 3,
    shows: [`The limit of ${client} is 3 requests per run`],
  });
}

/** Runs a program that may use another model only, and lets it use all again. It must be refused once, and show why. */
export async function tryRefusedModel(program: AgentProgram, bed: AgentBed): Promise<Outcome> {
  const { client } = bed.connection;
  await bed.machine.json(['clients', 'models', client, 'nothing/*']);
  const outcome = await tryRefusal(bed, {
    status: program.protocol === 'responses' ? 400 : 403,
    mayCharge: 0,
    shows: [program.refusalText ?? `${client} may use “nothing/*” only`],
  });
  await bed.machine.json(['clients', 'models', client, '--all']);
  return outcome;
}

/** How Gatehouse must refuse a program. */
interface Refusal {
  readonly status: number;
  /** Requests that the service may charge before it. */
  readonly mayCharge: number;
  /** Parts of the text that its user must see. */
  readonly shows: readonly string[];
}

/** Clients of Responses repeat a 402, and a 403. */
function toLimitStatus({ protocol }: AgentProgram): number {
  return protocol === 'responses' ? 400 : 402;
}

async function tryRefusal(bed: AgentBed, { status, mayCharge, shows }: Refusal): Promise<Outcome> {
  const observation = new Observation();
  const before = (await bed.exchanges()).length;
  const { charges } = bed.sandbox;
  const end = await bed.prompt(PROMPT, TIME_LIMIT_MS);
  const exchanges = (await bed.exchanges()).slice(before);
  const { main, beside } = await findRefused(bed, exchanges);
  const statuses = [...new Set(main.map((exchange) => exchange.status))].join(', ');
  const charged = bed.sandbox.charges - charges;
  observation.see(`${main.length} request, refused with ${statuses}`);
  if (mayCharge > 0) observation.see(`${charged} answered before`);
  if (beside > 0) observation.see(`${beside} refused beside it`);
  observation.see(`ended after ${(end.durationMs / 1_000).toFixed(0)} s`);
  observation.expect('it ends in time', !end.isTimedOut);
  observation.expect('its main conversation sends one request that is refused', main.length === 1);
  observation.expect(`the status is ${status}`, statuses === String(status));
  observation.expect('the service gets no more than it may', charged <= mayCharge);
  const shown = findShown(end.shown, shows[0] ?? '');
  observation.expect(
    'it shows why',
    shows.every((part) => shown?.includes(part) === true),
  );
  return observation.toOutcome(shown ?? end.shown.slice(-1_000));
}
