import type { PriceImport, UnpricedModel } from '../../../shared/money/prices-contract.ts';
import type { NewPrice } from '../../../shared/money/price.ts';
import { foldCase } from '../../../shared/fold-case.ts';
import { formatDay } from '../../../shared/format.ts';
import { SANDBOX_ID } from '../../../shared/sandbox-id.ts';
import { toServiceId } from '../../../shared/upstream.ts';
import type { Gateway } from '../../gateway.ts';
import { PLAY_PRICES } from '../../prices/prices.ts';
import { procedures } from './base.ts';

const calls = procedures.prices;
/** Models that are listed without a price. */
const MAX_UNPRICED = 300;
/** Prices of a file that are shown before it is imported. */
const MAX_FIRST = 100;

export const priceProcedures = {
  list: calls.list.handler(({ context: { gateway }, input: { text, limit } }) => {
    const all = gateway.prices.list();
    const word = text.toLowerCase();
    const found = all.filter(({ model, origin, service }) =>
      [model, origin, service ?? ''].some((part) => part.toLowerCase().includes(word)),
    );
    return {
      prices: found.slice(0, limit),
      matches: found.length,
      total: all.length,
      play: [...PLAY_PRICES],
    };
  }),
  unpriced: calls.unpriced.handler(({ context: { gateway, host } }) =>
    listUnpriced(gateway, host.now()),
  ),
  find: calls.find.handler(async ({ context: { gateway, host }, input: { model, service } }) =>
    gateway.prices.find(service ?? (await findService(gateway)), model, host.now()),
  ),
  add: calls.add.handler(async ({ context, input }) => {
    await context.gateway.prices.add(input.prices);
  }),
  set: calls.set.handler(({ context, input: { price, replaces } }) =>
    context.gateway.prices.set(price, replaces),
  ),
  remove: calls.remove.handler(async ({ context, input }) => {
    await context.gateway.prices.remove(input.id);
  }),
  import: {
    begin: calls.import.begin.handler(({ context }) => ({
      upload: context.gateway.priceUploads.begin(),
    })),
    append: calls.import.append.handler(({ context, input: { upload, text } }) => {
      context.gateway.priceUploads.append(upload, text);
    }),
    preview: calls.import.preview.handler(async ({ context: { gateway, host }, input }) => {
      const list = await readUpload(gateway, input, host.now());
      const known = new Set(gateway.prices.list().map(toKey));
      return {
        format: list.format,
        currency: list.currency,
        count: list.prices.length,
        skipped: list.skipped,
        replaced: list.prices.filter((price) => known.has(toKey(price))).length,
        first: list.prices.slice(0, MAX_FIRST),
      };
    }),
    adopt: calls.import.adopt.handler(async ({ context: { gateway, host }, input }) => {
      const { prices } = await readUpload(gateway, input, host.now());
      await gateway.prices.add(prices);
      gateway.priceUploads.forget(input.upload);
      return { added: prices.length };
    }),
  },
  export: calls.export.handler(async ({ context: { gateway }, input: { format } }) => {
    const { writeOwnCsv, writeOwnJson } = await import('../../prices/price-files.ts');
    const prices = gateway.prices.list();
    return format === 'csv'
      ? writeOwnCsv(prices)
      : writeOwnJson(prices, gateway.settings().settings.currency);
  }),
  recost: calls.recost.handler(async function* recost({ context: { gateway }, input, signal }) {
    yield* gateway.history.recost({
      ...input,
      costOf: (exchange) => gateway.prices.costOf(exchange),
      signal: signal ?? new AbortController().signal,
    });
  }),
};

async function findService(gateway: Gateway): Promise<string> {
  return toServiceId((await gateway.status()).upstream);
}

async function listUnpriced(gateway: Gateway, now: number): Promise<UnpricedModel[]> {
  const used = (await gateway.history.unpriced()).map(({ service, ...rest }) => ({
    service: service === '' ? null : service,
    ...rest,
  }));
  const service = await findService(gateway);
  const listed = service === SANDBOX_ID ? [] : gateway.models.known();
  const offered = listed
    .filter(({ id }) => !used.some((one) => one.service === service && one.model === id))
    .map(({ id }) => ({ service, model: id, exchanges: 0 }));
  const unpriced = [...used, ...offered]
    .filter((one) => gateway.prices.find(one.service, one.model, now) === null)
    .slice(0, MAX_UNPRICED);
  const { suggestPrices } = await import('../../prices/price-files.ts');
  const suggestions = await suggestPrices([...new Set(unpriced.map(({ model }) => model))], now);
  const videos = await listUnpricedVideos(gateway, now);
  const others = unpriced.map((one) => ({
    ...one,
    suggestion: suggestions.get(one.model) ?? null,
    lacksVideos: null,
  }));
  return [...videos, ...others];
}

/** Lists models with a price that lacks one for the videos that they made. */
async function listUnpricedVideos(gateway: Gateway, now: number): Promise<UnpricedModel[]> {
  const found = await gateway.history.unpricedVideos(gateway.prices, now);
  return found.map(({ service: id, model, exchanges }) => {
    const service = id === '' ? null : id;
    const price = gateway.prices.find(service, model, now);
    return { service, model, exchanges, suggestion: null, lacksVideos: price };
  });
}

async function readUpload(
  gateway: Gateway,
  { upload, provider, validFrom }: PriceImport,
  now: number,
) {
  const { readPriceList } = await import('../../prices/price-files.ts');
  const text = gateway.priceUploads.text(upload);
  const wanted = provider === '' ? null : provider;
  return readPriceList(text, {
    provider: wanted,
    service: null,
    validFrom,
    date: formatDay(now),
  });
}

function toKey({ service, model, validFrom }: NewPrice): string {
  return JSON.stringify([service, foldCase(model), validFrom]);
}
