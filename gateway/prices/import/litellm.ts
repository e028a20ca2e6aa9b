import {
  type NewPrice,
  NO_PRICES,
  type Prices,
  type PriceTier,
} from '../../../shared/money/price.ts';
import { UserError } from '../../errors.ts';
import {
  isObject,
  type JsonObject,
  PER_ONE,
  PER_TOKEN,
  type PriceList,
  readAmount,
  type ReadOptions,
  type TokenPrices,
  showValue,
} from './price-list.ts';

/** The members of LiteLLM's list that are prices per token. */
const TOKEN_MEMBERS = {
  input_cost_per_token: 'input',
  output_cost_per_token: 'output',
  cache_read_input_token_cost: 'cacheRead',
  cache_creation_input_token_cost: 'cacheWrite',
  cache_creation_input_token_cost_above_1hr: 'cacheWriteHour',
  output_cost_per_reasoning_token: 'reasoning',
} as const satisfies Record<string, keyof Prices>;
const ABOVE = /^(.+)_above_(\d{1,5})k_tokens$/u;
const VIDEO_SECOND = /^output_cost_per_(?:video_per_)?second_(\d{3,4}p|[248]k)$/u;
const THOUSAND = 1_000;
/** An entry that explains the others. */
const EXAMPLE = 'sample_spec';
type Overrides = Map<number, TokenPrices>;

/** Reads `model_prices_and_context_window.json` of LiteLLM (US dollars per token). @throws UserError */
export function readLiteLlm(list: JsonObject, options: ReadOptions): PriceList {
  const prices: NewPrice[] = [];
  let skipped = 0;
  for (const [key, entry] of Object.entries(list)) {
    if (key === EXAMPLE) continue;
    if (!isObject(entry)) throw new UserError(`"${key}": ${showValue(entry)} is not an object.`);
    const { provider } = options;
    if (provider !== null && entry['litellm_provider'] !== provider) continue;
    const price = readEntry(key, entry);
    if (price === null) {
      skipped += 1;
      continue;
    }
    const prefix = `${provider ?? ''}/`;
    prices.push({
      service: options.service,
      model: provider !== null && key.startsWith(prefix) ? key.slice(prefix.length) : key,
      validFrom: options.validFrom,
      origin: `LiteLLM, ${options.date}`,
      ...price,
    });
  }
  return { format: 'litellm', currency: 'USD', prices, skipped };
}

function readEntry(key: string, entry: JsonObject): Pick<NewPrice, 'prices' | 'tiers'> | null {
  const base: { -readonly [Name in keyof Prices]: Prices[Name] } = {
    ...NO_PRICES,
    ...readTokens(entry, `"${key}"`),
    videoSecond: readVideoSeconds(entry, key),
  };
  base.request = readAmount(
    entry['input_cost_per_request'],
    PER_ONE,
    `"${key}", input_cost_per_request`,
  );
  base.image = readAmount(entry['input_cost_per_image'], PER_ONE, `"${key}", input_cost_per_image`);
  const overrides: Overrides = readAbove(entry, key);
  readTiered(entry, key).forEach(([from, prices], index) => {
    if (index === 0 && from === 0) Object.assign(base, prices);
    else overrides.set(from, { ...overrides.get(from), ...prices });
  });
  const tiers = toTiers(base, overrides);
  const hasPrice =
    base.input !== null ||
    base.output !== null ||
    base.request !== null ||
    base.image !== null ||
    Object.keys(base.videoSecond).length > 0;
  return hasPrice || tiers.length > 0 ? { prices: base, tiers } : null;
}

/** Returns tiers by their thresholds. One tier takes what it does not say from the one below. */
export function toTiers(base: Prices, overrides: ReadonlyMap<number, TokenPrices>): PriceTier[] {
  let prices = base;
  return [...overrides]
    .toSorted(([one], [other]) => one - other)
    .map(([aboveInput, override]) => {
      prices = { ...prices, ...override };
      return { aboveInput, prices };
    });
}

function readTokens(entry: JsonObject, place: string): TokenPrices {
  const found: TokenPrices = {};
  for (const [member, name] of Object.entries(TOKEN_MEMBERS)) {
    const amount = readAmount(entry[member], PER_TOKEN, `${place}, ${member}`);
    if (amount !== null) found[name] = amount;
  }
  return found;
}

function readAbove(entry: JsonObject, key: string): Overrides {
  const overrides: Overrides = new Map();
  for (const [member, value] of Object.entries(entry)) {
    const [, base = '', thousands] = ABOVE.exec(member) ?? [];
    if (thousands === undefined || !isTokenMember(base)) continue;
    const amount = readAmount(value, PER_TOKEN, `"${key}", ${member}`);
    const above = Number(thousands) * THOUSAND;
    if (amount === null) continue;
    overrides.set(above, { ...overrides.get(above), [TOKEN_MEMBERS[base]]: amount });
  }
  return overrides;
}

function isTokenMember(name: string): name is keyof typeof TOKEN_MEMBERS {
  return Object.hasOwn(TOKEN_MEMBERS, name);
}

/** Reads `tiered_pricing`: the prices of each range of input tokens, with the beginning of the range. */
function readTiered(entry: JsonObject, key: string): (readonly [number, TokenPrices])[] {
  const tiers = entry['tiered_pricing'];
  if (!Array.isArray(tiers)) return [];
  return tiers.map((tier: unknown, index) => {
    const place = `"${key}", tiered_pricing[${index}]`;
    const range: unknown = isObject(tier) ? tier['range'] : null;
    const from: unknown = Array.isArray(range) ? range[0] : null;
    if (!isObject(tier) || typeof from !== 'number' || !(from >= 0)) {
      throw new UserError(`${place}: a range of tokens is missing.`);
    }
    return [Math.round(from), readTokens(tier, place)];
  });
}

function readVideoSeconds(entry: JsonObject, key: string): Record<string, number> {
  const found: Record<string, number> = {};
  for (const [member, value] of Object.entries(entry)) {
    const isVideo = entry['mode'] === 'video_generation';
    const every =
      member === 'output_cost_per_video_per_second' ||
      (isVideo && member === 'output_cost_per_second');
    const resolution = every ? '*' : VIDEO_SECOND.exec(member)?.[1];
    if (resolution === undefined) continue;
    const amount = readAmount(value, PER_ONE, `"${key}", ${member}`);
    if (amount !== null) found[resolution] = amount;
  }
  return found;
}
