import type { Command } from 'commander';
import { makeWindowLink } from '../gateway/api/api.ts';
import { openBrowser } from './browser.ts';
import { openDataDir } from '../hosting/data-folder.ts';
import { readHolder } from '../hosting/lock.ts';
import { CommandFailed } from './problem.ts';
import { withRooms } from './rooms.ts';
import type { Shell } from './shell.ts';

interface OpenFlags {
  readonly print?: boolean;
  readonly data?: string;
}

/** `gatehouse open`: a fresh link to the window of the Gatehouse that runs on this data folder. */
export function addOpen(program: Command, shell: Shell): void {
  program
    .command('open')
    .description('open the window of the running Gatehouse in the browser')
    .option('--print', 'only print the link')
    .option('--data <dir>', 'data folder')
    .action(async (flags: OpenFlags) => await open(shell, flags));
}

async function open(shell: Shell, { print = false, data }: OpenFlags): Promise<void> {
  const port = await findWindow(shell, data);
  await withRooms(shell, data, async ({ store, host }) => {
    const { now, randomBytes } = host;
    const link = await makeWindowLink({ store, now, randomBytes }, port);
    const opened = !print && (await openBrowser(link, shell.environment));
    shell.terminal.print(link);
    shell.terminal.complain(
      opened
        ? 'The window opens in your browser. If it does not, use this link; it works once, within 10 minutes.'
        : 'Open this link in a browser on this machine. It works once, within 10 minutes.',
    );
  });
}

/** @throws CommandFailed when there is no window to open. */
async function findWindow(shell: Shell, dataFlag: string | undefined): Promise<number> {
  const { command } = shell;
  const dataDir = await openDataDir(dataFlag, shell.environment);
  const holder = await readHolder(dataDir);
  if (holder === null) {
    throw new CommandFailed(
      `No Gatehouse is running on the data folder ${dataDir}. Start it: ${command} serve`,
    );
  }
  if (holder.runs === 'video') {
    throw new CommandFailed(
      `A command that waits for its videos runs Gatehouse (pid ${holder.pid}), without a window. Stop it with Ctrl-C, no video is lost, and start: ${command} serve`,
    );
  }
  if (holder.runs === 'desktop') {
    throw new CommandFailed(
      'The desktop app runs Gatehouse, in a window of its own. Open that by starting the app again, or from its tray icon.',
    );
  }
  if (holder.port === null) {
    throw new CommandFailed('Gatehouse is still starting. Try again in a moment.');
  }
  if (holder.windowPort === null) {
    throw new CommandFailed(
      `Gatehouse is running (pid ${holder.pid}) without its window. Start it without --no-ui.`,
    );
  }
  return holder.windowPort;
}
