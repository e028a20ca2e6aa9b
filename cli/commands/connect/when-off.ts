import { realpath } from 'node:fs/promises';
import { isAbsolute, relative, sep } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import {
  describeProcess,
  type LockOwner,
  readLockOwner,
} from '../../../host/lock/instance-lock.ts';
import { startGatehouse } from '../../../host/process/child-process.ts';
import { findProgramByCommand } from '../../../gateway/connect/connect.ts';
import type { ProgramDiagnosis } from '../../../shared/connect/diagnosis.ts';
import type { CommandContext } from '../../command-context.ts';
import { CommandError } from '../../errors.ts';
import type { CommandRepositories } from '../../with-repositories.ts';
import { findState } from './connect.ts';
import { openCommandConnections } from './connections.ts';
import { askToChooseOne } from '../../output/prompt.ts';

/** What `gatehouse run` does when no Gatehouse runs: starts one, starts the program without one, or starts nothing. */
export const WHEN_OFF = ['start', 'direct', 'stop'] as const;
export type WhenOff = (typeof WHEN_OFF)[number];

/** The Gatehouse that runs on a data folder, ready for requests. */
export type ReadyOwner = LockOwner & { readonly port: number };

const START_MS = 60_000;
const LOOK_MS = 50;

/**
 * Returns the Gatehouse that runs, and waits for one that is starting; `null` when none does, or none that takes requests. @throws
 * CommandError when its start takes too long
 */
export async function findRunning(
  { terminal }: CommandContext,
  dataDir: string,
): Promise<ReadyOwner | null> {
  let isWaiting = false;
  for (const until = performance.now() + START_MS; ;) {
    const owner = await readLockOwner(dataDir);
    if (owner === null || owner.runs === 'video') return null;
    if (isReady(owner)) return owner;
    if (!isWaiting) terminal.printError('Waiting for Gatehouse, which is starting.');
    isWaiting = true;
    if (performance.now() > until) {
      throw new CommandError(
        `Gatehouse (${describeProcess(owner)}) is starting for a minute already. See its log for the reason, or try again.`,
      );
    }
    await pause(LOOK_MS);
  }
}

/** Asks what is to be done without a Gatehouse; nothing where nobody can answer. */
export async function chooseWhenOff({ terminal }: CommandContext, word: string): Promise<WhenOff> {
  if (!terminal.interactive) return 'stop';
  return await askToChooseOne<WhenOff>('No Gatehouse is running here. What should be done?', [
    { value: 'start', label: 'Start Gatehouse in the background' },
    { value: 'direct', label: `Start ${word} without Gatehouse` },
    { value: 'stop', label: 'Start nothing' },
  ]);
}

/** @throws CommandError when the settings of a program lead to Gatehouse, without which it gets no answer */
export async function refuseDisconnected(
  context: CommandContext,
  repositories: CommandRepositories,
  word: string,
): Promise<void> {
  const known = findProgramByCommand(word);
  if (known === null) return;
  const connections = await openCommandConnections(context, repositories, []);
  const { connection, name } = await findState(connections, known.id);
  const { project = null } = connection ?? {};
  const isElsewhere = project !== null && !(await isInside(process.cwd(), project));
  if (connection === null || isElsewhere) {
    refuseOwnAddress(context, await connections.diagnose(known.id, 'here'), name);
    return;
  }
  throw new CommandError(
    `The settings of ${name} lead to Gatehouse, so it gets no answer without it. Start it with Gatehouse (--when-off start), or undo that: ${context.command} disconnect ${known.id}`,
  );
}

/** Whether a folder is another one or is in it, whatever links lead there; yes where that cannot be found out. */
async function isInside(folder: string, outer: string): Promise<boolean> {
  try {
    const way = relative(await realpath(outer), await realpath(folder));
    return !isAbsolute(way) && way !== '..' && !way.startsWith(`..${sep}`);
  } catch {
    return true;
  }
}

/** @throws CommandError when a person has entered the address of Gatehouse in the settings of a program */
function refuseOwnAddress(
  { command }: CommandContext,
  { addresses, files, places }: ProgramDiagnosis,
  name: string,
): void {
  const deciding = places.flatMap(({ kind, path, settings }) =>
    settings
      .filter(({ decides, wins }) => decides === 'address' && wins)
      .map(({ name: setting, state, text }) => ({
        isHere: state === 'here',
        address: text ?? '',
        where: kind === 'terminal' ? `${setting} of this terminal` : path,
      })),
  );
  const inFile = addresses.find(({ state }) => state !== 'other-port');
  const paths = files.filter(({ exists }) => exists).map(({ path }) => path);
  const own =
    deciding.length === 0
      ? inFile && { address: inFile.address, where: paths.join(', ') }
      : deciding.find(({ isHere }) => isHere);
  if (own === undefined) return;
  throw new CommandError(
    `The settings of ${name} hold the address of Gatehouse (${own.address} in ${own.where}), so it gets no answer without it. Start it with Gatehouse (--when-off start), or take the address out. If it uses another one, start it without “${command} run”.`,
  );
}

/**
 * Starts Gatehouse in the background, where it stays, because other programs may use it by the time this one ends. Resolves with its port when it takes
 * requests. @throws CommandError when it does not start, or is not to start any more; then nothing stays
 */
export async function startInBackground(
  { command, environment, envSettings, terminal }: CommandContext,
  dataDir: string,
): Promise<number> {
  const { upstreamKey, localKey } = envSettings;
  const child = startGatehouse(['serve', '--data', dataDir], {
    cwd: dataDir,
    env: {
      ...environment,
      ...(upstreamKey === undefined ? {} : { GATEHOUSE_UPSTREAM_KEY: upstreamKey }),
      ...(localKey === undefined ? {} : { GATEHOUSE_LOCAL_KEY: localKey }),
    },
  });
  const state = { hasEnded: false, isStopped: false };
  const note = (): void => {
    state.hasEnded = true;
  };
  child.once('error', note).once('exit', note);
  const stop = (): void => {
    state.isStopped = true;
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, stop);
  try {
    for (const until = performance.now() + START_MS; performance.now() < until;) {
      // Two commands may start one at the same moment: the second ends, and the first is used by both.
      const { hasEnded, isStopped } = state;
      const owner = await readLockOwner(dataDir);
      if (isStopped) break;
      if (owner !== null && isReady(owner)) {
        if (owner.pid === child.pid) terminal.printError(describeStart(command));
        return owner.port;
      }
      if (hasEnded && owner?.runs === 'video') {
        throw new CommandError(
          `A command that waits for its videos uses this data folder (pid ${owner.pid}). Start this again when it has ended.`,
        );
      }
      if (hasEnded && owner === null) break;
      await pause(LOOK_MS);
    }
    throw new CommandError(
      state.isStopped
        ? 'Stopped before Gatehouse was running.'
        : `Gatehouse did not start. See why: ${command} serve`,
    );
  } catch (error) {
    child.kill('SIGTERM');
    throw error;
  } finally {
    child.unref();
    for (const signal of signals) process.off(signal, stop);
  }
}

function isReady(owner: LockOwner): owner is ReadyOwner {
  return owner.port !== null && owner.runs !== 'video';
}

function describeStart(command: string): string {
  return `Gatehouse was started in the background, and stays on. Look at it: ${command} open. End it: ${command} stop`;
}
