import type { Command } from 'commander';
import {
  describeOrigin,
  describeValidFrom,
  formatPrice,
} from '../../../shared/money/describe-price.ts';
import type { Price, Prices } from '../../../shared/money/price.ts';
import { formatCount } from '../../../shared/format.ts';
import { PLAY_PRICES } from '../../../gateway/prices/prices.ts';
import type { CommandContext } from '../../command-context.ts';
import type { TableData } from '../../output/table.ts';
import { findUsageScope } from '../../usage-scope.ts';
import { withRepositories } from '../../with-repositories.ts';
import { type CommonFlags, withCommonFlags } from './common.ts';

/** Defines `gatehouse prices list`. */
export function addListCommand(prices: Command, context: CommandContext): void {
  withCommonFlags(prices.command('list').description('list the prices by model')).action(
    async (flags: CommonFlags) => await listPrices(context, flags),
  );
}

async function listPrices(context: CommandContext, flags: CommonFlags): Promise<void> {
  const { terminal, command } = context;
  await withRepositories(context, flags.data, async (repositories) => {
    const { currency } = repositories.settings.current();
    const list = repositories.prices.list();
    if (flags.json === true) {
      terminal.printJson({ currency, prices: list, play: PLAY_PRICES });
      return;
    }
    if (list.length === 0) {
      terminal.printText(
        `There is no price yet, so no cost of a service is known.\nTo see suggestions: ${command} prices suggest`,
      );
    } else {
      await terminal.printTable(toTable(list, currency));
      terminal.printText(`In ${currency}; amounts of tokens are for a million tokens.`);
    }
    if ((await findUsageScope(context, repositories)) === 'sandbox') {
      terminal.printText(
        '\nPlay prices of the sandbox, the first that matches; nobody is charged:',
      );
      await terminal.printTable(toTable(PLAY_PRICES, currency));
    }
  });
}

function toTable(prices: readonly Price[], currency: string): TableData {
  return {
    head: ['Model', 'Input', 'Output', 'Cache read', 'Cache write', 'Other', 'From', 'Origin'],
    rows: prices.flatMap((price) => toRows(price, currency)),
    numbers: [1, 2, 3, 4],
    narrowing: [{ below: [7] }, { below: [6] }, { below: [5] }, { below: [3, 4] }],
  };
}

function toRows(price: Price, currency: string): string[][] {
  const isNamed = price.service !== null && price.id >= 0;
  const service = isNamed ? ` at ${price.service}` : '';
  const first = [
    `${price.model}${service}`,
    ...toCells(price.prices, currency),
    describeValidFrom(price) ?? 'always',
    describeOrigin(price),
  ];
  const tiers = price.tiers.map(({ aboveInput, prices }) => [
    `  above ${formatCount(aboveInput)} tokens`,
    ...toCells(prices, currency),
    '',
    '',
  ]);
  return [first, ...tiers];
}

function toCells(prices: Prices, currency: string): string[] {
  const format = (amount: number | null) => (amount === null ? '–' : formatPrice(amount, currency));
  const { cacheWriteHour, reasoning, request, image, videoSecond } = prices;
  const others = [
    cacheWriteHour === null ? '' : `cache write for an hour ${format(cacheWriteHour)}`,
    reasoning === null ? '' : `reasoning ${format(reasoning)}`,
    request === null ? '' : `request ${format(request)}`,
    image === null ? '' : `image ${format(image)}`,
    ...Object.entries(videoSecond).map(
      ([resolution, amount]) => `second of video ${resolution} ${format(amount)}`,
    ),
  ];
  return [
    ...[prices.input, prices.output, prices.cacheRead, prices.cacheWrite].map(format),
    others.filter((text) => text !== '').join(', '),
  ];
}
