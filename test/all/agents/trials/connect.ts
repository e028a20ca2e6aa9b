import type { AgentBed } from '../agent-bed.ts';
import { Observation, type Outcome } from '../outcome.ts';
import type { SettingsFiles } from '../program-home.ts';
import { FINAL_TEXT, PROMPT } from '../script.ts';

const TIME_LIMIT_MS = 120_000;

/** Runs the task with a program that was connected, has it diagnosed, and disconnects it: its settings must be as they were. */
export async function tryConnection(bed: AgentBed): Promise<Outcome> {
  const observation = new Observation();
  const { home, connection } = bed;
  const connected = await home.read(connection.files);
  const end = await bed.prompt(PROMPT, TIME_LIMIT_MS);
  observation.expect('connected, it does the task', await hasDoneTask(bed, end.shown));
  if (connection.files.length > 0) await checkUndoing(observation, bed, connected);
  return observation.toOutcomeOf(end.shown);
}

/** Checks the diagnosis of a program that was used, and that its files are as before when it is disconnected. */
async function checkUndoing(
  observation: Observation,
  { home, connection, gateway }: AgentBed,
  connected: SettingsFiles,
): Promise<void> {
  const { files, before } = connection;
  const failures = await home.findFailures();
  observation.expect(
    `the diagnosis has no failure, not ${failures.join(' ')}`,
    failures.length === 0,
  );
  const used = await home.read(files);
  const { complete } = await home.disconnect();
  observation.expect('it is disconnected', complete);
  const after = await home.read(files);
  for (const file of files) {
    if (used[file] === connected[file]) {
      observation.see(`\`${file}\` back to the byte`);
      observation.expect(`${file} is byte for byte as before`, after[file] === before[file]);
    } else {
      observation.see(`\`${file}\`, which it changed itself, without our fields`);
      const text = after[file] ?? '';
      const traces = [gateway.url, gateway.key, 'atehouse', 'GATEHOUSE'];
      const isGone = traces.every((trace) => !text.includes(trace));
      observation.expect(`nothing of the connection is left in ${file}`, isGone);
    }
  }
}

/** Runs the task with `gatehouse run`, which must leave the settings as they are. */
export async function tryStart(bed: AgentBed): Promise<Outcome> {
  const observation = new Observation();
  const { home, connection } = bed;
  const settings = await home.read(connection.files);
  await bed.resetTask();
  const end = await bed.start(PROMPT, TIME_LIMIT_MS);
  observation.expect('it does the task', await hasDoneTask(bed, end.shown));
  const after = await home.read(connection.files);
  const isUnchanged = connection.files.every((file) => after[file] === settings[file]);
  observation.expect('its settings are as before', isUnchanged);
  return observation.toOutcomeOf(end.shown);
}

/** Whether the files are those that the task leads to, and the program showed its last text. */
export async function hasDoneTask(bed: AgentBed, shown: string): Promise<boolean> {
  const copy = await bed.read('copy.txt');
  return copy.includes(bed.task.after) && shown.includes(FINAL_TEXT);
}
