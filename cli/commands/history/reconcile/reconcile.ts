import { Option, type Command } from 'commander';
import type { CommandContext } from '../../../command-context.ts';
import type { ReconcileFlags } from './compare-export.ts';

const help = (command: string) => `
FILE is the usage export of your service: CSV, JSON or JSON lines. The columns
are proposed by their values; you confirm them once for each service, or name
them. PART is one of time, model, id, requests, input, output and cost; several
columns that belong together are joined by a plus sign, and an empty name takes
a column away:
  --column time=created_at --column input=prompt+cached --column id=

Rows are single requests or the sums of a day or an hour. Single requests are
found by an id that a header of the answer had, otherwise by model, tokens and
time, within five minutes. Without --since and --until: the days of the file.

Examples:
  ${command} usage reconcile export.csv
  ${command} usage reconcile export.csv --since 2026-11-01 --until 2026-11-30`;

/** Defines `gatehouse usage reconcile`, which compares the usage export of a service with the history. */
export function addReconcileCommand(usage: Command, context: CommandContext): void {
  usage
    .command('reconcile <file>')
    .description('compare the usage export of your service with the history')
    .option('--since <time>', 'from this time on: 7d, 2026-11-01')
    .option('--until <time>', 'up to this time, or the end of this day: 1d, 2026-11-30')
    .option(
      '--column <part=name>',
      'the column of a part, such as time=created_at',
      (value: string, before: readonly string[] | undefined) => [...(before ?? []), value],
    )
    .addOption(new Option('--rows <kind>', 'each row is').choices(['request', 'day', 'hour']))
    .addOption(
      new Option('--time-zone <zone>', 'of days, and of times without one').choices([
        'utc',
        'local',
      ]),
    )
    .option('--service <url>', 'the service; by default the one in use')
    .option('--yes', 'use the proposed columns without a question')
    .option('--json', 'print JSON')
    .option('--data <dir>', 'data folder')
    .addHelpText('after', help(context.command))
    .action(async (file: string, _flags: object, command: Command) => {
      const { compareExport } = await import('./compare-export.ts');
      // The command above takes the options that it has, too, wherever they are.
      await compareExport(context, file, command.optsWithGlobals<ReconcileFlags>());
    });
}
