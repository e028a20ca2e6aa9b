import { setTimeout as pause } from 'node:timers/promises';
import type { Command } from 'commander';
import { prepareDataDir } from '../../host/data-folder.ts';
import { describeProcess, type LockOwner, readLockOwner } from '../../host/lock/instance-lock.ts';
import { pluralize } from '../../shared/format.ts';
import type { CommandContext } from '../command-context.ts';
import { BusyError, withEngine } from '../engine-client.ts';
import { CommandError } from '../errors.ts';

interface StopFlags {
  readonly json?: boolean;
  readonly data?: string;
}

/** Running exchanges get a minute, and closing the databases some seconds. */
const END_MS = 75_000;
const LOOK_MS = 100;

/** Defines `gatehouse stop`, which ends the Gatehouse that runs on this data folder without the desktop app. */
export function addStopCommand(program: Command, context: CommandContext): void {
  program
    .command('stop')
    .description('end the running Gatehouse when its requests in progress have ended')
    .option('--json', 'print JSON')
    .option('--data <dir>', 'data folder')
    .addHelpText(
      'after',
      '\nIt waits for requests in progress for a minute. The desktop app is quit from its tray or\nits window instead. Exit code 0 also when none runs.',
    )
    .action(async (flags: StopFlags) => await stop(context, flags));
}

async function stop(context: CommandContext, { json = false, data }: StopFlags): Promise<void> {
  const { terminal, environment } = context;
  const dataDir = await prepareDataDir(data, environment);
  const owner = await readLockOwner(dataDir);
  if (owner === null) {
    if (json) terminal.printJson({ stopped: false, pid: null });
    else terminal.printText(`No Gatehouse is running on the data folder ${dataDir}.`);
    return;
  }
  refuseOther(owner);
  const note = await askToEnd(context, data, owner);
  if (note !== null) terminal.printError(note);
  await waitForEnd(dataDir, owner);
  if (json) terminal.printJson({ stopped: true, pid: owner.pid });
  else terminal.printText(`Gatehouse (${describeProcess(owner)}) has ended.`);
}

/** Asks it to end, and says what is waited for; `null` for nothing. @throws CommandError when it cannot be asked */
async function askToEnd(
  context: CommandContext,
  data: string | undefined,
  owner: LockOwner,
): Promise<string | null> {
  try {
    const { running } = await withEngine(context, data, ({ calls }) => calls.status.stop());
    return running === 0
      ? null
      : `Waiting for ${pluralize(running, 'request')} in progress, for a minute at most.`;
  } catch (error) {
    if (owner.port === null || !(error instanceof BusyError)) throw error;
    return `Gatehouse (${describeProcess(owner)}) does not answer commands: it may be ending already. Waiting for its end.`;
  }
}

/** @throws CommandError when a person ends the process in another way */
function refuseOther(owner: LockOwner): void {
  if (owner.runs === 'serve') return;
  const which = describeProcess(owner);
  throw new CommandError(
    owner.runs === 'desktop'
      ? `The desktop app runs Gatehouse on this data folder (${which}). Quit it from its tray, or in its window under Settings.`
      : `A command that waits for its videos runs Gatehouse on this data folder (${which}). End it with Ctrl-C: no video is lost.`,
  );
}

/** Resolves when the process has closed everything. @throws CommandError when that takes too long */
async function waitForEnd(dataDir: string, ended: LockOwner): Promise<void> {
  for (const until = performance.now() + END_MS; performance.now() < until;) {
    const owner = await readLockOwner(dataDir);
    // Another one may have been started already, which has a key of its own.
    if (owner?.controlKey !== ended.controlKey) return;
    await pause(LOOK_MS);
  }
  throw new CommandError(
    `Gatehouse (${describeProcess(ended)}) has not ended yet. See its log for the reason, or try again.`,
  );
}
