import type { MatchLogic, ModelPrice, PriceCalculation } from '@pydantic/genai-prices';
import { parseAmount } from '../../shared/money/decimal.ts';
import { NO_PRICES, type NewPrice, type Prices } from '../../shared/money/price.ts';
import { toPattern } from '../../shared/name-pattern.ts';
import { listMakers } from './makers.ts';

/** The version of `@pydantic/genai-prices`, whose prices are suggested, and the date of its release. A test compares the version. */
export const SUGGESTIONS_OF = { name: 'genai-prices', version: '0.1.8', date: '2026-09-23' };

/** Providers of models of others that are asked after the maker. */
const PROVIDERS = [
  'openrouter',
  'groq',
  'together',
  'fireworks',
  'cerebras',
  'deepseek',
  'novita',
  'azure',
  'aws',
  'baseten',
  'ovhcloud',
  'cloudflare',
  'huggingface_together',
  'huggingface_nebius',
];

/** The names of prices per million units there. */
const NAMES = {
  input_mtok: 'input',
  output_mtok: 'output',
  cache_read_mtok: 'cacheRead',
  cache_write_mtok: 'cacheWrite',
  cache_write_1h_mtok: 'cacheWriteHour',
  output_reasoning_mtok: 'reasoning',
} as const satisfies Record<string, keyof Prices>;
const PER_THOUSAND = 1_000;

/**
 * Suggests prices of models for every service, without asking the network: those of the model's maker, otherwise of the first provider
 * that has it; `origin` names the provider, the list, its version and date. Models without a known price are left out. `at`: Unix time
 * in milliseconds at which they hold.
 */
export async function suggestPrices(
  models: readonly string[],
  at: number,
): Promise<ReadonlyMap<string, NewPrice>> {
  if (models.length === 0) return new Map();
  // The list has 800 kB, which is loaded only here.
  const { calcPrice } = await import('@pydantic/genai-prices');
  const timestamp = new Date(at);
  const ask = (name: string, providerId: string): PriceCalculation | null => {
    try {
      return calcPrice({ input_tokens: 1 }, name, { providerId, timestamp });
    } catch {
      return null;
    }
  };
  const found = new Map<string, NewPrice>();
  const known = knownAt(timestamp);
  for (const model of models) {
    const price = known.get(model) ?? (known.has(model) ? null : findPrice(model, ask));
    known.set(model, price);
    if (price !== null) found.set(model, price);
  }
  return found;
}

/** What was found for models on one day, because asking for an unknown one takes a few milliseconds. */
let remembered = { day: '', prices: new Map<string, NewPrice | null>() };
const MAX_KNOWN = 2_000;

function knownAt(at: Date): Map<string, NewPrice | null> {
  const day = at.toISOString().slice(0, 'yyyy-mm-dd'.length);
  if (remembered.day !== day || remembered.prices.size > MAX_KNOWN)
    remembered = { day, prices: new Map() };
  return remembered.prices;
}

type Ask = (name: string, providerId: string) => PriceCalculation | null;

function findPrice(model: string, ask: Ask): NewPrice | null {
  const names = listNames(model);
  for (const provider of [...listMakers(model), ...PROVIDERS]) {
    for (const name of names) {
      const answer = ask(name, provider);
      const price = answer === null || !isNamed(name, answer) ? null : toPrice(model, answer);
      if (price !== null) return price;
    }
  }
  return null;
}

/** What a platform writes before the names of its models: a region and a maker. */
const BEFORE_NAME =
  /^(?:(?:us|eu|apac|jp|au|global|regional)\.)?(?:anthropic|amazon|deepseek|meta|mistral|openai|qwen)\./u;

/** Returns the spellings of a model's id: whole, without its maker, in lower case, with a dash in its version. */
function listNames(model: string): readonly string[] {
  const short = model.slice(model.lastIndexOf('/') + 1).replace(BEFORE_NAME, '');
  const lower = [model, short].map((name) => name.toLowerCase());
  const dashed = lower.map((name) => name.replaceAll(/(\d)\.(\d)/gu, '$1-$2'));
  return [...new Set([model, short, ...lower, ...dashed])];
}

/** What may follow the name of a model: the date or the version of a release. */
const RELEASE =
  /^(?:-preview)?[-@](?:latest|\d{3,4}|\d{4}-?\d{2}-?\d{2}|\d{2}-\d{4}|\d{2}-\d{2})$/u;

/**
 * Whether an answer is for a model of this name, or for a release of it. The list also matches by beginnings and parts of names, which
 * another model may have, too.
 */
function isNamed(name: string, { model: { id, match } }: PriceCalculation): boolean {
  return [id, ...listIds(match)].some((known) => {
    const [asked, listed] = [name, known].map(toComparable);
    if (asked === undefined || listed === undefined) return false;
    return (
      asked === listed || (asked.startsWith(listed) && RELEASE.test(asked.slice(listed.length)))
    );
  });
}

/** Names with dots or dashes in their versions are equal, and so are those with the parts that a platform adds. */
function toComparable(name: string): string {
  const plain = name
    .toLowerCase()
    .replace(BEFORE_NAME, '')
    .replace(/-v\d+:\d+$/u, '');
  return plain.replaceAll(/(\d)[.p](\d)/gu, '$1-$2');
}

/** Lists the names in a rule, and their beginnings. */
function listIds(match: MatchLogic): readonly string[] {
  if ('or' in match) return match.or.flatMap(listIds);
  if ('equals' in match) return [match.equals];
  return 'starts_with' in match ? [match.starts_with] : [];
}

function toPrice(model: string, answer: PriceCalculation): NewPrice | null {
  const { provider, model_price: card } = answer;
  const bounds = new Set<number>();
  for (const name of Object.keys(NAMES)) {
    const value = card[name];
    if (typeof value === 'object') for (const { start } of value.tiers) bounds.add(start);
  }
  const prices = readCard(card, 0);
  if (prices.input === null && prices.output === null && prices.request === null) return null;
  const { name, version, date } = SUGGESTIONS_OF;
  return {
    service: null,
    model: toPattern(model),
    validFrom: 0,
    prices,
    tiers: [...bounds]
      .toSorted((one, other) => one - other)
      .map((aboveInput) => ({ aboveInput, prices: readCard(card, aboveInput) })),
    origin: `${provider.name}, ${name} ${version} of ${date}`.slice(-100),
  };
}

/** Reads the prices of a request with more than `above` input tokens. */
function readCard(card: ModelPrice, above: number): Prices {
  const amounts = Object.entries(NAMES).map(([member, name]): [string, number | null] => [
    name,
    readValue(card[member], above),
  ]);
  const requests = readValue(card['requests_kcount'], above);
  return {
    ...NO_PRICES,
    ...Object.fromEntries(amounts),
    request: requests === null ? null : Math.round(requests / PER_THOUSAND),
  };
}

function readValue(value: ModelPrice[string], above: number): number | null {
  if (value === undefined) return null;
  if (typeof value === 'number') return parseAmount(String(value));
  const tier = value.tiers.findLast(({ start }) => start <= above && above > 0);
  return parseAmount(String(tier?.price ?? value.base));
}
