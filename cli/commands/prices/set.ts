import type { Command } from 'commander';
import { parseAmount } from '../../../shared/money/decimal.ts';
import { describePrices, describeValidFrom } from '../../../shared/money/describe-price.ts';
import {
  findSamePrice,
  type NewPrice,
  NO_PRICES,
  type Price,
  type PriceKey,
  type Prices,
} from '../../../shared/money/price.ts';
import { formatCount, pluralize } from '../../../shared/format.ts';
import { parseInteger } from '../../arguments/parse-numbers.ts';
import type { CommandContext } from '../../command-context.ts';
import { CommandError, UsageError } from '../../errors.ts';
import { withRepositories } from '../../with-repositories.ts';
import { type CommonFlags, parseFrom, withCommonFlags } from './common.ts';

interface SetFlags extends CommonFlags {
  readonly input?: string;
  readonly output?: string;
  readonly cacheRead?: string;
  readonly cacheWrite?: string;
  readonly cacheWriteHour?: string;
  readonly reasoning?: string;
  readonly request?: string;
  readonly image?: string;
  readonly videoSecond: readonly string[];
  readonly service?: string;
  readonly from?: string;
  readonly above?: string;
}

const AMOUNTS = [
  ['input', '--input'],
  ['output', '--output'],
  ['cacheRead', '--cache-read'],
  ['cacheWrite', '--cache-write'],
  ['cacheWriteHour', '--cache-write-hour'],
  ['reasoning', '--reasoning'],
  ['request', '--request'],
  ['image', '--image'],
] as const;

const help = (command: string) => `
Amounts are in units of the currency, those of tokens for a million of them.
What is not given stays as it is, other resolutions of videos too; none clears
an amount. MODEL may have * for any characters. With --above the amounts hold
for the whole of a request whose input has more tokens. Costs that were computed
before stay as they are.

Examples:
  ${command} prices set acme/large --input 3 --output 15
  ${command} prices set acme/large --above 200000 --input 6 --output 22.5
  ${command} prices set h3 --video-second 480p=0.05 --video-second 720p=none`;

/** Defines `gatehouse prices set`. */
export function addSetCommand(prices: Command, context: CommandContext): void {
  withCommonFlags(
    prices
      .command('set <model>')
      .description('set the price of a model')
      .option('--input <amount>', 'input tokens')
      .option('--output <amount>', 'output tokens')
      .option('--cache-read <amount>', 'input tokens from the cache; as --input unless given')
      .option(
        '--cache-write <amount>',
        'input tokens written to the cache; as --input unless given',
      )
      .option(
        '--cache-write-hour <amount>',
        'those kept there for an hour; as --cache-write unless given',
      )
      .option('--reasoning <amount>', 'output tokens of reasoning; as --output unless given')
      .option('--request <amount>', 'each request')
      .option('--image <amount>', 'each image in a request')
      .option(
        '--video-second <resolution=amount>',
        'each second of a video, such as 480p=0.05; * for every other resolution',
        (value: string, before: readonly string[]) => [...before, value],
        [],
      )
      .option('--service <url>', 'only at this service')
      .option('--from <date>', 'from this date; always unless given')
      .option('--above <tokens>', 'only for requests with more input tokens'),
  )
    .addHelpText('after', help(context.command))
    .action(async (model: string, flags: SetFlags) => await setPrice(context, model, flags));
}

async function setPrice(context: CommandContext, model: string, flags: SetFlags): Promise<void> {
  const { terminal } = context;
  const change = readAmounts(flags);
  await withRepositories(context, flags.data, async ({ prices, settings }) => {
    const key = {
      service: flags.service ?? null,
      model: model.trim(),
      validFrom: parseFrom(flags.from),
    };
    const find = () => findSamePrice(prices.list(), key);
    const setAfter = async (before: Price | null): Promise<NewPrice> => {
      const changes = { change, above: flags.above };
      const changed = changePrice({ ...key, origin: 'entered' }, before, changes);
      const other = await prices.set(changed, before?.id ?? null);
      return other === null ? changed : await setAfter(other);
    };
    const price = await setAfter(find());
    const stored = find() ?? price;
    const { currency } = settings.current();
    if (flags.json === true) {
      terminal.printJson({ currency, price: stored });
      return;
    }
    const from = describeValidFrom(price);
    terminal.printText(
      `${price.model}${from === null ? '' : ` from ${from}`}: ${describePrices(price.prices, currency)}.`,
    );
    for (const tier of price.tiers) {
      terminal.printText(
        `Above ${formatCount(tier.aboveInput)} input tokens: ${describePrices(tier.prices, currency)}.`,
      );
    }
    if (price.prices.input !== null && price.prices.output === null)
      terminal.printText('It has no price of output, so output costs nothing.');
    terminal.printText('A running Gatehouse knows within a second.');
  });
}

function changePrice(
  key: PriceKey & Pick<NewPrice, 'origin'>,
  before: Price | null,
  { change, above }: { readonly change: PriceChange; readonly above: string | undefined },
): NewPrice {
  const { prices, tiers } = before ?? { prices: NO_PRICES, tiers: [] };
  if (above === undefined)
    return { ...key, prices: applyChange(prices, change), tiers: [...tiers] };
  if (before === null) {
    throw new UsageError(
      `--above changes a price of ${key.model} that is there: set that without --above first.`,
    );
  }
  const aboveInput = parseInteger(above, { name: '--above', from: 1, to: 999_999_999 });
  const tier = tiers.find((one) => one.aboveInput === aboveInput);
  const others = tiers.filter((one) => one !== tier);
  const changed = { aboveInput, prices: applyChange(tier?.prices ?? prices, change) };
  return {
    ...key,
    prices,
    tiers: [...others, changed].toSorted((one, other) => one.aboveInput - other.aboveInput),
  };
}

/** The amounts that are given; `null` clears one. */
interface PriceChange {
  readonly amounts: Partial<Prices>;
  readonly seconds: readonly (readonly [resolution: string, amount: number | null])[];
}

function applyChange(prices: Prices, { amounts, seconds }: PriceChange): Prices {
  const videoSecond = new Map<string, number>(Object.entries(prices.videoSecond));
  for (const [resolution, amount] of seconds) {
    if (amount === null) videoSecond.delete(resolution);
    else videoSecond.set(resolution, amount);
  }
  return { ...prices, ...amounts, videoSecond: Object.fromEntries(videoSecond) };
}

/** Reads the amounts that are given. @throws UsageError */
function readAmounts(flags: SetFlags): PriceChange {
  const amounts = AMOUNTS.flatMap(([name, flag]) => {
    const text = flags[name];
    return text === undefined ? [] : [[name, readAmount(text, flag)] as const];
  });
  const seconds = flags.videoSecond.map((text) => {
    const [, resolution, amount] = /^([^=]{1,40})=(.+)$/u.exec(text) ?? [];
    const micros = amount === undefined ? null : parseAmount(amount);
    if (resolution === undefined || (micros === null && amount !== 'none')) {
      throw new UsageError(
        '--video-second takes a resolution and an amount, such as 480p=0.05, or none.',
      );
    }
    return [resolution, micros] as const;
  });
  if (amounts.length === 0 && seconds.length === 0) {
    throw new UsageError('Give at least one amount, such as --input 3.');
  }
  return { amounts: Object.fromEntries(amounts), seconds };
}

function readAmount(text: string, flag: string): number | null {
  if (text === 'none') return null;
  const amount = parseAmount(text);
  if (amount === null) {
    throw new UsageError(`${flag} takes an amount such as 3 or 0.25, or none.`);
  }
  return amount;
}

interface RemoveFlags extends CommonFlags {
  readonly service?: string;
  readonly from?: string;
}

/** Defines `gatehouse prices remove`. */
export function addRemoveCommand(prices: Command, context: CommandContext): void {
  withCommonFlags(
    prices
      .command('remove <model>')
      .description('remove the prices of a model, as list shows it; costs stay as they are')
      .option('--service <url>', 'only that of this service')
      .option('--from <date>', 'only that from this date'),
  ).action(async (model: string, flags: RemoveFlags) => await removePrices(context, model, flags));
}

async function removePrices(
  context: CommandContext,
  model: string,
  flags: RemoveFlags,
): Promise<void> {
  await withRepositories(context, flags.data, async ({ prices }) => {
    const from = flags.from === undefined ? null : parseFrom(flags.from);
    const found = prices
      .list()
      .filter(
        (price) =>
          price.model === model &&
          (flags.service === undefined || price.service === flags.service) &&
          (from === null || price.validFrom === from),
      );
    if (found.length === 0) {
      throw new CommandError(
        `There is no such price of ${model}. To see them: ${context.command} prices list`,
      );
    }
    for (const { id } of found) await prices.remove(id);
    if (flags.json === true) context.terminal.printJson({ model, removed: found.length });
    else {
      const verb = found.length === 1 ? 'was' : 'were';
      context.terminal.printText(`${model}: ${pluralize(found.length, 'price')} ${verb} removed.`);
    }
  });
}
