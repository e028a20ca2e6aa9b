import type { Command } from 'commander';
import { escapeControls } from '../output/format.ts';
import { formatDuration } from '../../shared/format.ts';
import { CommandError } from '../errors.ts';
import { findModels, type ModelListing } from '../list-models.ts';
import { withRepositories } from '../with-repositories.ts';
import type { CommandContext } from '../command-context.ts';

interface ModelFlags {
  readonly data?: string;
  readonly upstream?: string;
  readonly json?: boolean;
}

/** Defines `gatehouse models`, which lists the exact ids that a request may name. */
export function addModelCommands(program: Command, context: CommandContext): void {
  program
    .command('models')
    .description('list the models of the service, offline the last known')
    .option('--upstream <url>', 'base address of the service')
    .option('--json', 'print JSON with the full description of every model')
    .option('--data <dir>', 'data folder')
    .action(async (flags: ModelFlags) => {
      await withRepositories(context, flags.data, async (repositories) => {
        const found = await findModels(context, repositories, flags).catch((error: unknown) => {
          if (flags.json === true && error instanceof CommandError) {
            const fault = error.message;
            context.terminal.printJson({
              source: null,
              ageMs: null,
              models: [],
              omitted: null,
              fault,
            });
          }
          throw error;
        });
        printModels(context, flags, found);
      });
    });
}

function printModels({ terminal }: CommandContext, flags: ModelFlags, found: ModelListing): void {
  if (found.fault !== null) {
    terminal.printError(found.fault);
  }
  if (found.omitted !== null) terminal.printError(found.omitted);
  if (flags.json === true) {
    const { source, age, models, omitted, fault } = found;
    terminal.printJson({ source, ageMs: age, models, omitted, fault });
    return;
  }
  if (found.source === 'cache') {
    terminal.printError(`This is the list as last seen, ${formatDuration(found.age)} ago.`);
  }
  if (found.source === 'sandbox') {
    terminal.printError('The sandbox is used: these are its models.');
  }
  for (const { id } of found.models) {
    terminal.print(escapeControls(id));
  }
}
