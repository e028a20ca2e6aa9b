import type { Command } from 'commander';
import { createSignInLink } from '../../gateway/api/api.ts';
import { openBrowser } from '../process/browser.ts';
import { prepareDataDir } from '../../host/data-folder.ts';
import { readLockOwner } from '../../host/lock/instance-lock.ts';
import { CommandError } from '../errors.ts';
import { withRepositories } from '../with-repositories.ts';
import type { CommandContext } from '../command-context.ts';

interface OpenFlags {
  readonly print?: boolean;
  readonly data?: string;
}

/** Defines `gatehouse open`, which creates a new link to the window of the Gatehouse that runs on this data folder. */
export function addOpenCommand(program: Command, context: CommandContext): void {
  program
    .command('open')
    .description('open the window of the running Gatehouse in the browser')
    .option('--print', 'only print the link')
    .option('--data <dir>', 'data folder')
    .action(async (flags: OpenFlags) => await open(context, flags));
}

async function open(context: CommandContext, { print = false, data }: OpenFlags): Promise<void> {
  const port = await findWindowPort(context, data);
  await withRepositories(context, data, async ({ store, host }) => {
    const { now, randomBytes } = host;
    const link = await createSignInLink({ store, now, randomBytes }, port);
    const opened = !print && (await openBrowser(link, context.environment));
    context.terminal.print(link);
    context.terminal.printError(
      opened
        ? 'The window opens in your browser. If it does not, use this link; it works once, within 10 minutes.'
        : 'Open this link in a browser on this machine. It works once, within 10 minutes.',
    );
  });
}

/** Finds the window's address. @throws CommandError when there is no window to open. */
async function findWindowPort(
  context: CommandContext,
  dataFlag: string | undefined,
): Promise<number> {
  const { command } = context;
  const dataDir = await prepareDataDir(dataFlag, context.environment);
  const owner = await readLockOwner(dataDir);
  if (owner === null) {
    throw new CommandError(
      `No Gatehouse is running on the data folder ${dataDir}. Start it: ${command} serve`,
    );
  }
  if (owner.runs === 'video') {
    throw new CommandError(
      `A command that waits for its videos runs Gatehouse (pid ${owner.pid}), without a window. Stop it with Ctrl-C, no video is lost, and start: ${command} serve`,
    );
  }
  if (owner.runs === 'desktop') {
    throw new CommandError(
      'The desktop app runs Gatehouse, in a window of its own. Open that by starting the app again, or from its tray icon.',
    );
  }
  if (owner.port === null) {
    throw new CommandError('Gatehouse is still starting. Try again in a moment.');
  }
  if (owner.windowPort === null) {
    throw new CommandError(
      `Gatehouse is running (pid ${owner.pid}) without its window. Start it without --no-ui.`,
    );
  }
  return owner.windowPort;
}
