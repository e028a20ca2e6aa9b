import type { Command } from 'commander';
import { openModels } from '../../../gateway/models/models.ts';
import { describePrices } from '../../../shared/money/describe-price.ts';
import type { NewPrice, Price } from '../../../shared/money/price.ts';
import { pluralize } from '../../../shared/format.ts';
import type { CommandContext } from '../../command-context.ts';
import { escapeControls } from '../../output/format.ts';
import { formatPriceCommand, secondsOf } from '../../output/format-price.ts';
import { findServiceInUse } from '../../service-in-use.ts';
import {
  type CommandRepositories,
  withHistory,
  withRepositories,
} from '../../with-repositories.ts';
import { type CommonFlags, withCommonFlags } from './common.ts';

interface SuggestFlags extends CommonFlags {
  readonly adopt?: boolean;
}

const help = (command: string) => `
Without a model: those of the history and of the list of your service that have
no price. The suggestions come with Gatehouse; nothing is asked from the network
and nothing is used before you adopt it.

Examples:
  ${command} prices suggest
  ${command} prices suggest claude-sonnet-4-5 --adopt`;

/** Defines `gatehouse prices suggest`. */
export function addSuggestCommand(prices: Command, context: CommandContext): void {
  withCommonFlags(
    prices
      .command('suggest [models...]')
      .description('suggest prices of models that have none')
      .option('--adopt', 'use them'),
  )
    .addHelpText('after', help(context.command))
    .action(async (models: string[], flags: SuggestFlags) => await suggest(context, models, flags));
}

async function suggest(
  context: CommandContext,
  named: readonly string[],
  flags: SuggestFlags,
): Promise<void> {
  const { terminal } = context;
  const { suggestPrices } = await import('../../../gateway/prices/price-files.ts');
  await withRepositories(context, flags.data, async (repositories) => {
    const { prices, settings, host } = repositories;
    const models = named.length > 0 ? named : await listUnpriced(context, repositories);
    const found = await suggestPrices(models, host.now());
    const adopted = flags.adopt === true && found.size > 0;
    if (adopted) await prices.add([...found.values()]);
    const { currency } = settings.current();
    const videos = named.length > 0 ? [] : await listUnpricedVideos(repositories);
    if (flags.json === true) {
      const suggestions = models.map((model) => ({ model, price: found.get(model) ?? null }));
      terminal.printJson({
        currency: 'USD',
        suggestions,
        videos,
        adopted: adopted ? found.size : 0,
      });
      return;
    }
    for (const one of videos) {
      const set = formatPriceCommand({ ...one, amounts: secondsOf(null) }, context.command);
      terminal.printText(
        escapeControls(`${one.model}: no price for the videos that it made. To set one: ${set}`),
      );
    }
    if (models.length === 0) {
      if (videos.length === 0) terminal.printText('Every model that is known here has a price.');
      return;
    }
    for (const model of models) terminal.printText(describe(model, found.get(model) ?? null));
    if (currency !== 'USD') {
      terminal.printError(
        `Suggestions are in USD, your prices in ${currency}: nothing is converted.`,
      );
    }
    if (adopted) {
      terminal.printText(`${pluralize(found.size, 'price')} adopted.`);
    } else if (found.size > 0) {
      const list =
        named.length === 0 ? '' : ` ${named.map((one) => JSON.stringify(one)).join(' ')}`;
      terminal.printText(`To use them: ${context.command} prices suggest${list} --adopt`);
    }
  });
}

function describe(model: string, price: NewPrice | null): string {
  const words =
    price === null ? 'no suggestion' : `${describePrices(price.prices, 'USD')} (${price.origin})`;
  return escapeControls(`${model}: ${words}`);
}

/** Lists models without a price: of the history, and of the last known list of the service in use. */
export async function listUnpriced(
  context: CommandContext,
  repositories: CommandRepositories,
): Promise<readonly string[]> {
  const { prices, store, host } = repositories;
  const used = await withHistory(repositories, async (history) => await history.unpriced());
  const { service } = await findServiceInUse(context, repositories, {});
  const listed = service === null ? [] : await listKnown(service.baseUrl, { store, now: host.now });
  const all = [
    ...used,
    ...listed.map((model) => ({ service: service?.baseUrl ?? '', model, exchanges: 0 })),
  ];
  const unpriced = all.filter(
    (one) => prices.find(one.service === '' ? null : one.service, one.model, host.now()) === null,
  );
  return [...new Set(unpriced.map(({ model }) => model))];
}

/** A model of the history with a price that lacks one for the videos that it made. */
interface UnpricedVideos {
  readonly service: string | null;
  readonly model: string;
  readonly price: Price;
}

/** Lists models with a price that lacks one for the videos that they made. */
export async function listUnpricedVideos(
  repositories: CommandRepositories,
): Promise<readonly UnpricedVideos[]> {
  const { prices, host } = repositories;
  const found = await withHistory(
    repositories,
    async (history) => await history.unpricedVideos(prices, host.now()),
  );
  return found.flatMap(({ service: id, model }) => {
    const service = id === '' ? null : id;
    const price = prices.find(service, model, host.now());
    return price === null ? [] : [{ service, model, price }];
  });
}

async function listKnown(
  upstream: string,
  { store, now }: Pick<CommandRepositories, 'store'> & { readonly now: () => number },
): Promise<readonly string[]> {
  const models = await openModels({
    store,
    upstream,
    fetchList: () => Promise.reject(new Error('The list is not fetched.')),
    now,
    log: () => undefined,
  });
  try {
    return models.known().map(({ id }) => id);
  } finally {
    await models.close();
  }
}
