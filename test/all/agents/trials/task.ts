import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { RunDetail, RunSummary } from '../../../../shared/run/run.ts';
import type { AgentBed } from '../agent-bed.ts';
import { Observation, type Outcome, waitFor } from '../outcome.ts';
import type { AgentProgram, ToolCall } from '../program.ts';
import { FINAL_TEXT, PROMPT, listCalls } from '../script.ts';

const TIME_LIMIT_MS = 120_000;
const RunList = z.object({ runs: z.array(RunSummary) });

/** A task that a program did, and its run; `run` is `null` when there is none. */
export interface DoneTask {
  readonly outcome: Outcome;
  readonly run: RunDetail | null;
}

/** Has a program read a file, edit it and run a command, and looks at the run that Gatehouse made of it. */
export async function tryTask(program: AgentProgram, bed: AgentBed): Promise<DoneTask> {
  const observation = new Observation();
  const end = await bed.prompt(PROMPT, TIME_LIMIT_MS);
  observation.expect('it ends in time and without an error', !end.isTimedOut && end.code === 0);
  observation.expect('it shows the last text', end.shown.includes(FINAL_TEXT));
  observation.expect('it edits the file', (await bed.read('notes.txt')).includes(bed.task.after));
  observation.expect('it runs the command', (await bed.read('copy.txt')).includes(bed.task.after));
  const run = await findRun(bed);
  observation.expect('there is one run of the task', run !== null);
  if (run !== null) checkTree(observation, run, listCalls(program, bed.task));
  return { run, outcome: observation.toOutcomeOf(end.shown) };
}

/** Returns the run of all exchanges of the bed; `null` when there are several, or none. */
export async function findRun(bed: AgentBed): Promise<RunDetail | null> {
  const steps = (await bed.exchanges()).filter(({ method }) => method === 'POST').length;
  const run = await waitFor(async () => {
    const { runs } = RunList.parse(await bed.machine.json(['runs', '--single']));
    return runs.length === 1 && runs[0]?.steps === steps ? runs[0] : undefined;
  });
  if (run === undefined) return null;
  return RunDetail.parse(await bed.machine.json(['runs', run.id]));
}

/** Checks that the main agent has each call with its result in the next step, and that everything else is beside it. */
function checkTree(
  observation: Observation,
  { sequences }: RunDetail,
  expected: readonly (readonly ToolCall[])[],
): void {
  const [main, ...otherMains] = sequences.filter(({ kind }) => kind === 'main');
  const helpers = sequences.filter(({ kind }) => kind === 'helper');
  observation.expect(
    'the run has one main agent, and all else is beside it',
    otherMains.length === 0 && helpers.length + 1 === sequences.length,
  );
  const steps = main?.steps ?? [];
  observation.expect('a step for each answer of the model', steps.length === expected.length + 1);
  expected.forEach((expectedCalls, place) => {
    const { calls = [] } = steps[place] ?? {};
    const { results = [] } = steps[place + 1] ?? {};
    observation.expect(
      `step ${place + 1} has its calls`,
      isDeepStrictEqual(toNames(calls), toNames(expectedCalls)),
    );
    observation.expect(
      `step ${place + 2} has the results of these calls`,
      // Of calls at once, some programs send the result of the faster one first.
      calls.length === results.length &&
        calls.every(({ id, name }) =>
          results.some((result) => id !== null && result.callId === id && result.name === name),
        ) &&
        results.every(({ isError }) => !isError),
    );
  });
  observation.expect('the last answer is the last text', steps.at(-1)?.answer === FINAL_TEXT);
  const beside = helpers.reduce((sum, helper) => sum + helper.steps.length, 0);
  observation.see(`${steps.length} steps, ${expected.flat().length} calls with their results`);
  if (beside > 0) observation.see(`${beside} beside it`);
}

function toNames(calls: readonly { readonly name: string }[]): readonly string[] {
  return calls.map(({ name }) => name);
}
