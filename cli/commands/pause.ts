import type { Command } from 'commander';
import { pluralize } from '../../shared/format.ts';
import type { CommandContext } from '../command-context.ts';
import { withEngine } from '../engine-client.ts';

interface PauseFlags {
  readonly json?: boolean;
  readonly data?: string;
}

/** Defines `gatehouse pause` and `gatehouse resume`, which act on the Gatehouse that runs on this data folder. */
export function addPauseCommands(program: Command, context: CommandContext): void {
  program
    .command('pause')
    .description('refuse new requests until resume; those in progress finish')
    .option('--json', 'print JSON')
    .option('--data <dir>', 'data folder')
    .action(async (flags: PauseFlags) => await setPaused(context, flags, true));
  program
    .command('resume')
    .description('accept requests again after a pause')
    .option('--json', 'print JSON')
    .option('--data <dir>', 'data folder')
    .action(async (flags: PauseFlags) => await setPaused(context, flags, false));
}

async function setPaused(
  context: CommandContext,
  { json = false, data }: PauseFlags,
  paused: boolean,
): Promise<void> {
  const { terminal, command } = context;
  const status = await withEngine(context, data, async ({ calls }) => {
    await (paused ? calls.status.pause() : calls.status.resume());
    return await calls.status.get();
  });
  if (json) {
    terminal.printJson({ paused: status.paused, running: status.running });
  } else if (paused) {
    const rest =
      status.running === 0 ? '' : ` ${pluralize(status.running, 'request')} in progress.`;
    terminal.printText(
      `Paused: new requests are refused, and no video is ordered.${rest}\nTo continue: ${command} resume`,
    );
  } else {
    terminal.printText('Running: requests are accepted.');
  }
}
