import type { RunDetail } from '../../../../shared/run/run.ts';
import type { AgentBed } from '../agent-bed.ts';
import { Observation, type Outcome } from '../outcome.ts';
import type { ToolCall } from '../program.ts';
import { DELEGATING_PROMPT, FINAL_TEXT } from '../script.ts';
import { findRun } from './task.ts';

const TIME_LIMIT_MS = 120_000;

/** Has a program start another agent, which must be below the call that started it. */
export async function tryAgent(
  bed: AgentBed,
  calls: readonly [ToolCall, ...ToolCall[]],
): Promise<Outcome> {
  const observation = new Observation();
  const end = await bed.prompt(DELEGATING_PROMPT, TIME_LIMIT_MS);
  observation.expect('it ends in time and without an error', !end.isTimedOut && end.code === 0);
  observation.expect('it shows the last text', end.shown.includes(FINAL_TEXT));
  const run = await findRun(bed);
  observation.expect('there is one run of both agents', run !== null);
  if (run !== null) checkAgents(observation, run, calls[0]);
  return observation.toOutcomeOf(end.shown);
}

function checkAgents(observation: Observation, { sequences }: RunDetail, call: ToolCall): void {
  const main = sequences.find(({ kind }) => kind === 'main');
  const agents = sequences.filter(({ kind }) => kind === 'agent');
  const rest = sequences.filter((sequence) => sequence !== main && !agents.includes(sequence));
  const [first] = main?.steps ?? [];
  observation.expect(
    `the first step has the call of ${call.name}`,
    first?.calls[0]?.name === call.name,
  );
  observation.expect(
    'the agent is below the step that started it',
    agents.length === 1 && agents[0]?.startedBy === first?.id,
  );
  observation.expect(
    'all else is beside it',
    rest.every(({ kind }) => kind === 'helper'),
  );
  observation.expect('the last answer is the last text', main?.steps.at(-1)?.answer === FINAL_TEXT);
  observation.see('its own agent below the call that started it');
}
