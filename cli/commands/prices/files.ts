import { readFile, stat } from 'node:fs/promises';
import { Option, type Command } from 'commander';
import { MAX_PRICE_FILE } from '../../../gateway/prices/prices.ts';
import { formatDay, pluralize } from '../../../shared/format.ts';
import type { CommandContext } from '../../command-context.ts';
import { CommandError } from '../../errors.ts';
import { withRepositories } from '../../with-repositories.ts';
import { type CommonFlags, parseFrom, withCommonFlags } from './common.ts';

interface ImportFlags extends CommonFlags {
  readonly provider?: string;
  readonly service?: string;
  readonly from?: string;
  readonly dryRun?: boolean;
}

const importHelp = (command: string) => `
Files: model_prices_and_context_window.json of LiteLLM, api.json of models.dev,
and what "${command} prices export" wrote. One file has the prices of many
providers; --provider takes those of one, as the file names it. A price for the
same model, service and date is replaced.

Example:
  ${command} prices import prices.csv --dry-run`;

/** Defines `gatehouse prices import`. */
export function addImportCommand(prices: Command, context: CommandContext): void {
  withCommonFlags(
    prices
      .command('import <file>')
      .description('import prices from a file: JSON of LiteLLM or models.dev, or CSV')
      .option('--provider <name>', 'take only the prices of this provider')
      .option('--service <url>', 'use them for this service only')
      .option('--from <date>', 'from this date, where the file has none; always unless given')
      .option('--dry-run', 'only say what the file has'),
  )
    .addHelpText('after', importHelp(context.command))
    .action(async (file: string, flags: ImportFlags) => await importPrices(context, file, flags));
}

async function importPrices(
  context: CommandContext,
  file: string,
  flags: ImportFlags,
): Promise<void> {
  const { terminal } = context;
  const text = await readText(file);
  const { readPriceList } = await import('../../../gateway/prices/price-files.ts');
  await withRepositories(context, flags.data, async ({ prices, settings, host }) => {
    const list = readPriceList(text, {
      provider: flags.provider ?? null,
      service: flags.service ?? null,
      validFrom: parseFrom(flags.from),
      date: formatDay(host.now()),
    });
    const { currency } = settings.current();
    const isDryRun = flags.dryRun === true;
    if (!isDryRun) await prices.add(list.prices);
    const { format, skipped } = list;
    const count = list.prices.length;
    if (flags.json === true) {
      terminal.printJson({
        format,
        currency: list.currency,
        imported: isDryRun ? 0 : count,
        prices: count,
        skipped,
      });
      return;
    }
    if (list.currency !== null && list.currency !== currency) {
      terminal.printError(
        `The amounts of this file are in ${list.currency}, yours are in ${currency}: nothing is converted.`,
      );
    }
    const without =
      skipped === 0
        ? ''
        : ` ${pluralize(skipped, 'model')} in the file ${skipped === 1 ? 'has' : 'have'} no price.`;
    terminal.printText(
      isDryRun
        ? `The file (${format}) has ${pluralize(count, 'price')}; nothing was changed.${without}`
        : `${pluralize(count, 'price')} imported (${format}).${without} A running Gatehouse knows within a second.`,
    );
  });
}

async function readText(file: string): Promise<string> {
  try {
    if ((await stat(file)).size > MAX_PRICE_FILE) {
      throw new CommandError(`${file} is too large: a list of prices has at most 20 MiB.`);
    }
    return await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof CommandError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new CommandError(`${file} cannot be read: ${reason}`, { cause: error });
  }
}

interface ExportFlags {
  readonly format: 'csv' | 'json';
  readonly data?: string;
}

/** Defines `gatehouse prices export`. */
export function addExportCommand(prices: Command, context: CommandContext): void {
  prices
    .command('export')
    .description('print the prices as a file that import reads')
    .addOption(new Option('--format <format>', 'as').choices(['csv', 'json']).default('csv'))
    .option('--data <dir>', 'data folder')
    .action(async ({ format, data }: ExportFlags) => {
      const { writeOwnCsv, writeOwnJson } = await import('../../../gateway/prices/price-files.ts');
      await withRepositories(context, data, async (repositories) => {
        const list = repositories.prices.list();
        const { currency } = repositories.settings.current();
        await context.terminal.write(
          format === 'csv' ? writeOwnCsv(list) : writeOwnJson(list, currency),
        );
      });
    });
}
