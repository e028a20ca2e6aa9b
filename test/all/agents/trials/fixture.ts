import { parseFixture } from '../../../../sandbox/fixture/parse-fixture.ts';
import { openSandbox } from '../../../../sandbox/server.ts';
import type { RunDetail } from '../../../../shared/run/run.ts';
import type { AgentBed } from '../agent-bed.ts';
import { Observation, type Outcome } from '../outcome.ts';
import { FINAL_TEXT, PROMPT } from '../script.ts';

const TIME_LIMIT_MS = 120_000;

/** Saves the run of a program as a fixture, and has the program do the task again with the sandbox that plays it. */
export async function tryFixture(bed: AgentBed, run: RunDetail): Promise<Outcome> {
  const observation = new Observation();
  const { stdout } = await bed.machine.run(['runs', run.run.id, '--fixture']);
  const fixture = parseFixture(stdout);
  await using sandbox = await openSandbox({ fixture });
  await bed.resetTask();
  const end = await bed.prompt(PROMPT, TIME_LIMIT_MS, sandbox);
  observation.expect('played again, it ends without an error', end.code === 0);
  observation.expect('played again, it shows the last text', end.shown.includes(FINAL_TEXT));
  const copy = await bed.read('copy.txt');
  observation.expect('played again, it changes the file', copy.includes(bed.task.after));
  observation.expect('every step is played', sandbox.stepsLeft === 0);
  observation.see(`${fixture.steps.length} steps saved as a fixture and played again`);
  return observation.toOutcomeOf(end.shown);
}
