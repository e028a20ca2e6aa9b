import type { Command } from 'commander';
import type { History } from '../../../gateway/history/history.ts';
import { pluralize, formatCount } from '../../../shared/format.ts';
import { formatMoney } from '../../../shared/money/format-money.ts';
import {
  LIMITS_KEEP_COUNTS,
  NO_RECOST_PROGRESS,
  type RecostProgress,
} from '../../../shared/money/recost.ts';
import { parseSince } from '../../arguments/parse-time.ts';
import type { CommandContext } from '../../command-context.ts';
import { CommandError } from '../../errors.ts';
import { formatTimestamp } from '../../output/format.ts';
import { requireConfirmation } from '../../output/prompt.ts';
import { listenForSignals } from '../../process/signals.ts';
import { withHistory, withRepositories } from '../../with-repositories.ts';
import { type CommonFlags, withCommonFlags } from './common.ts';

interface ApplyFlags extends CommonFlags {
  readonly since: string;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

const help = (command: string) => `
Costs are computed when a request ends and stay as they are when prices change.
This computes those since a time again, by the prices of today that held then,
after it has shown what would change, by model. The sandbox is left out, and so
are videos of earlier versions, which did not record their length.
Limits keep what they have counted; those for each run count the new costs
after the next start of Gatehouse.

Example:
  ${command} prices apply --since 1w --dry-run`;

/** Defines `gatehouse prices apply`. */
export function addApplyCommand(prices: Command, context: CommandContext): void {
  withCommonFlags(
    prices
      .command('apply')
      .description('compute the costs of earlier exchanges again, after you confirm')
      .requiredOption('--since <when>', 'an age such as 1d or 1w, or a date')
      .option('--dry-run', 'only say what would change')
      .option('--yes', 'do not ask'),
  )
    .addHelpText('after', help(context.command))
    .action(async (flags: ApplyFlags) => await applyPrices(context, flags));
}

async function applyPrices(context: CommandContext, flags: ApplyFlags): Promise<void> {
  const { terminal } = context;
  const since = Math.max(0, parseSince(flags.since, context.now()));
  const isQuiet = flags.json === true;
  await withRepositories(context, flags.data, async (repositories) => {
    const { currency } = repositories.settings.current();
    await withHistory(repositories, async (history) => {
      const { signal } = listenForSignals(terminal, () => undefined);
      const run = async (dryRun: boolean) =>
        await recost(history, {
          since,
          dryRun,
          signal,
          costOf: (exchange) => repositories.prices.costOf(exchange),
          onProgress: ({ checked, changed }) => {
            if (isQuiet || !terminal.canRedraw) return;
            const verb = dryRun ? 'would change' : 'changed';
            terminal.redraw(
              () => `${formatCount(checked)} exchanges, ${formatCount(changed)} ${verb}`,
            );
          },
        });
      const planned = await run(true);
      const plan = describe(planned, currency);
      if (flags.dryRun === true || planned.changed === 0 || signal.aborted) {
        if (isQuiet) terminal.printJson({ since, currency, dryRun: true, ...planned });
        else {
          await printModels(context, planned, currency);
          terminal.printText(`${plan} Nothing was changed.`);
          if (planned.changed > 0) terminal.printText(LIMITS_KEEP_COUNTS);
        }
        return;
      }
      if (!isQuiet) {
        await printModels(context, planned, currency);
        terminal.printText(LIMITS_KEEP_COUNTS);
      }
      if (flags.yes !== true) {
        await requireConfirmation(context, `Since ${formatTimestamp(since)}: ${plan} Change them?`);
      }
      const done = await run(false);
      if (isQuiet) terminal.printJson({ since, currency, dryRun: false, ...done });
      else terminal.printText(`${describe(done, currency)} ${done.ended ? 'Done.' : ''}`.trim());
      if (!done.ended) {
        throw new CommandError(
          'It was stopped. Rows and totals agree; run it again for the others.',
        );
      }
    });
  });
}

type RecostQuery = Parameters<History['recost']>[0] & {
  readonly onProgress: (progress: RecostProgress) => void;
};

async function recost(
  history: History,
  { onProgress, ...query }: RecostQuery,
): Promise<RecostProgress> {
  let last = NO_RECOST_PROGRESS;
  for await (const progress of history.recost(query)) {
    last = progress;
    onProgress(progress);
  }
  return last;
}

/** Prints what changes for each model. */
async function printModels(
  { terminal }: CommandContext,
  { models, moreModels }: RecostProgress,
  currency: string,
): Promise<void> {
  if (models.length === 0) return;
  const format = (amount: number | null) =>
    amount === null ? 'unknown' : formatMoney(amount, currency);
  await terminal.printTable({
    head: ['Model', 'Requests', 'Before', 'After'],
    rows: models.map(({ model, exchanges, before, after }) => [
      model === '' ? '–' : model,
      formatCount(exchanges),
      format(before),
      format(after),
    ]),
    numbers: [1, 2, 3],
  });
  if (moreModels > 0) {
    const verb = moreModels === 1 ? 'changes' : 'change';
    terminal.printText(`${pluralize(moreModels, 'more model')} ${verb} less.`);
  }
}

function describe({ checked, changed, before, after }: RecostProgress, currency: string): string {
  const total = `from ${formatMoney(before, currency)} to ${formatMoney(after, currency)}`;
  return `The cost of ${formatCount(changed)} of ${pluralize(checked, 'exchange')} changes; the total goes ${total}.`;
}
