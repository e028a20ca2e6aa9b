import type { AgentBed } from '../agent-bed.ts';
import { Observation, type Outcome, waitFor } from '../outcome.ts';
import type { AgentProgram } from '../program.ts';
import { PROMPT, scriptTask } from '../script.ts';

const TIME_LIMIT_MS = 60_000;
const MAX_SHOWN = 400;

/** Runs a program whose key was revoked. It must end and show why, unless it goes on without Gatehouse, too. */
export async function tryRevokedKey(program: AgentProgram, bed: AgentBed): Promise<Outcome> {
  const observation = new Observation();
  await bed.play((task) => scriptTask(program, task));
  const { files, client } = bed.connection;
  const settings = await bed.home.read(files);
  const wrong = { url: bed.sandbox.url, key: 'a-wrong-key' };
  const without = await bed.prompt(PROMPT, TIME_LIMIT_MS, wrong);
  await bed.machine.json(['clients', 'revoke', client]);
  // A gateway that runs notices it within a second.
  await waitFor(async () => ((await askForModels(bed)) === 401 ? true : undefined));
  const before = (await bed.refusedKeys()).length;
  // The command puts the settings back, too; a program that runs has them still.
  await bed.home.write(settings);
  const end = await bed.prompt(PROMPT, TIME_LIMIT_MS);
  const goesOn = end.isTimedOut && without.isTimedOut;
  if (goesOn) observation.see('it goes on for more than a minute, as without Gatehouse');
  observation.expect('it ends in time', goesOn || !end.isTimedOut);
  const length = (await bed.refusedKeys()).length - before;
  observation.see(`${length} ${length === 1 ? 'request' : 'requests'} refused with 401`);
  observation.expect('it is refused', length > 0);
  observation.expect('the service gets nothing', bed.sandbox.charges === 0);
  const { refusalText: hidden } = program;
  const lines = end.shown
    .split('\n')
    .filter((line) =>
      hidden === undefined ? /revoked|local key/iu.test(line) : line.includes(hidden),
    );
  observation.expect('it shows why', goesOn || lines.length > 0);
  const shown = [...new Set(lines.map((line) => line.trim()))].join('\n');
  return observation.toOutcome(shown === '' ? end.shown.slice(-1_000) : shown.slice(0, MAX_SHOWN));
}

async function askForModels({ gateway: { url, key } }: AgentBed): Promise<number> {
  const headers = { authorization: `Bearer ${key}` };
  return (await fetch(`${url}/v1/models`, { headers })).status;
}
