import * as fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { formatDecimal, parseAmount, parseDecimal } from '../../../shared/money/decimal.ts';
import { MAX_PRICE, type NewPrice, NO_PRICES } from '../../../shared/money/price.ts';
import { UserError } from '../../errors.ts';
import { writeOwnCsv } from './own-csv.ts';
import { writeOwnJson } from './own-json.ts';
import type { ReadOptions } from './price-list.ts';
import { readPriceList } from './read-price-list.ts';

const OPTIONS: ReadOptions = { provider: null, service: null, validFrom: 0, date: '2026-11-21' };

function read(value: unknown, options: Partial<ReadOptions> = {}) {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return readPriceList(text, { ...OPTIONS, ...options });
}

function errorOf(value: unknown, options: Partial<ReadOptions> = {}): string {
  try {
    read(value, options);
  } catch (error) {
    if (error instanceof UserError) return error.message;
    throw error;
  }
  return 'no error';
}

function errorOfCost(cost: unknown): string {
  return errorOf({ p: { models: { m: { cost } } } });
}

describe('a decimal number', () => {
  it.each([
    ['3e-06', 12, 3_000_000],
    ['0.00000025', 12, 250_000],
    ['1.1', 6, 1_100_000],
    ['0.0000005', 6, 1],
    ['0.00000049', 6, 0],
    ['  .5 ', 6, 500_000],
    ['1e3', 0, 1_000],
    ['-1', 6, null],
    ['1,5', 6, null],
    ['Infinity', 6, null],
    ['0x10', 6, null],
    ['', 6, null],
    ['1e99', 6, null],
  ])('%j with %i digits is %j', (text, digits, units) => {
    expect(parseDecimal(text, digits)).toBe(units);
  });

  it('is the same after it was formatted', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: MAX_PRICE }), (micros) => {
        expect(parseAmount(formatDecimal(micros))).toBe(micros);
        // JSON of other lists has floating point per token.
        expect(parseDecimal(String(micros / 1e12), 12)).toBe(micros);
      }),
    );
  });
});

describe('the list of LiteLLM', () => {
  const sonnet = {
    litellm_provider: 'anthropic',
    mode: 'chat',
    input_cost_per_token: 3e-6,
    output_cost_per_token: 1.5e-5,
    cache_read_input_token_cost: 3e-7,
    cache_creation_input_token_cost: 3.75e-6,
    cache_creation_input_token_cost_above_1hr: 6e-6,
    input_cost_per_token_above_200k_tokens: 6e-6,
    output_cost_per_token_above_200k_tokens: 2.25e-5,
    input_cost_per_token_priority: 'ignored',
    max_tokens: 64_000,
    supports_vision: true,
  };

  test('prices per token, above a threshold, and for an hour', () => {
    const list = read({ sample_spec: { mode: 'one of …' }, 'claude-sonnet-4-5': sonnet });
    expect(list).toMatchObject({ format: 'litellm', currency: 'USD', skipped: 0 });
    const prices = {
      ...NO_PRICES,
      input: 3_000_000,
      output: 15_000_000,
      cacheRead: 300_000,
      cacheWrite: 3_750_000,
      cacheWriteHour: 6_000_000,
    };
    expect(list.prices).toEqual([
      {
        service: null,
        model: 'claude-sonnet-4-5',
        validFrom: 0,
        origin: 'LiteLLM, 2026-11-21',
        prices,
        tiers: [
          { aboveInput: 200_000, prices: { ...prices, input: 6_000_000, output: 22_500_000 } },
        ],
      },
    ]);
  });

  test('ranges, videos, and models without a price', () => {
    const list = read({
      'dashscope/qwen': {
        litellm_provider: 'dashscope',
        tiered_pricing: [
          { range: [0, 32_000], input_cost_per_token: 1e-6, output_cost_per_token: 2e-6 },
          { range: [32_000, 128_000], input_cost_per_token: 2e-6, output_cost_per_token: 3e-6 },
        ],
      },
      video: {
        litellm_provider: 'openai',
        mode: 'video_generation',
        output_cost_per_second: 0.1,
        output_cost_per_second_1080p: 0.3,
      },
      image: { litellm_provider: 'openai', output_cost_per_image: 1 },
      unknown: { litellm_provider: 'openai', input_cost_per_token: -1 },
    });
    expect(list.skipped).toBe(2);
    expect(list.prices.map(({ prices }) => prices)).toEqual([
      { ...NO_PRICES, input: 1_000_000, output: 2_000_000 },
      { ...NO_PRICES, videoSecond: { '*': 100_000, '1080p': 300_000 } },
    ]);
    expect(list.prices[0]?.tiers).toEqual([
      { aboveInput: 32_000, prices: { ...NO_PRICES, input: 2_000_000, output: 3_000_000 } },
    ]);
  });

  test('one provider, without its prefix', () => {
    const list = { 'azure/gpt-5': { ...sonnet, litellm_provider: 'azure' }, 'gpt-5': sonnet };
    expect(read(list, { provider: 'azure' }).prices.map(({ model }) => model)).toEqual(['gpt-5']);
    expect(errorOf(list, { provider: 'none' })).toMatch(/no price of the provider "none"/u);
  });

  test('what cannot be read is named with its place', () => {
    const withFields = (fields: object) => ({ m: { ...sonnet, ...fields } });
    expect(errorOf(withFields({ input_cost_per_token: 'three' }))).toBe(
      '"m", input_cost_per_token: "three" is not an amount.',
    );
    expect(errorOf(withFields({ output_cost_per_token: 1e9 }))).toMatch(
      /^"m", output_cost_per_token: /u,
    );
    expect(errorOf(withFields({ tiered_pricing: [{}] }))).toMatch(/^"m", tiered_pricing\[0\]: /u);
    expect(errorOf({ m: sonnet, n: 7 })).toBe('"n": 7 is not an object.');
  });
});

describe('the list of models.dev', () => {
  const cost = { input: 1.25, output: 10, cache_read: 0.125 };
  const list = {
    reseller: {
      models: {
        'gpt-5': { cost: { input: 1, output: 1 } },
        free: { cost: { input: 0, output: 0 } },
      },
    },
    openai: {
      models: {
        'gpt-5': { cost: { ...cost, context_over_200k: { input: 2.5, output: 15 } }, name: 'x' },
        'gpt-6': {
          cost: { ...cost, tiers: [{ tier: { type: 'context', size: 272_000 }, input: 5 }] },
        },
        none: {},
      },
    },
    other: { models: { free: { cost: { input: 1, output: 2 } } } },
  };

  test('the maker of a model precedes, then a provider that charges', () => {
    const { prices, skipped, currency } = read(list);
    expect([skipped, currency]).toEqual([1, 'USD']);
    expect(prices.map(({ model, origin }) => [model, origin])).toEqual([
      ['gpt-5', 'models.dev, 2026-11-21: openai'],
      ['free', 'models.dev, 2026-11-21: other'],
      ['gpt-6', 'models.dev, 2026-11-21: openai'],
    ]);
    const base = { ...NO_PRICES, input: 1_250_000, output: 10_000_000, cacheRead: 125_000 };
    expect(prices[0]?.prices).toEqual(base);
    expect(prices[0]?.tiers).toEqual([
      { aboveInput: 200_000, prices: { ...base, input: 2_500_000, output: 15_000_000 } },
    ]);
    expect(prices[2]?.tiers).toEqual([
      { aboveInput: 272_000, prices: { ...base, input: 5_000_000 } },
    ]);
  });

  test('one provider, and places of errors', () => {
    const [price] = read(list, { provider: 'reseller', service: 'https://a.example' }).prices;
    expect(price).toMatchObject({ service: 'https://a.example', prices: { input: 1_000_000 } });
    expect(errorOfCost({ input: [] })).toBe('"p", "m", cost.input: [] is not an amount.');
    expect(errorOfCost(3)).toBe('"p", "m", cost: 3 is not an object.');
    expect(errorOfCost({ input: 1, tiers: [{}] })).toMatch(/^"p", "m", cost\.tiers\[0\]: /u);
  });
});

describe('CSV', () => {
  test('columns in any order, tiers, dates and videos', () => {
    const { prices } = read(
      '\uFEFFOutput,MODEL,input,notes,above_input_tokens,valid_from,video_second\r\n' +
        '15,acme/large,3,hm,,2026-01-01,\r\n22.5,acme/large,6,,200000,2026-01-01,\r\n,"h3",,,,,480p=0.05 *=0.1\r\n',
    );
    expect(prices).toHaveLength(2);
    expect(prices[0]).toMatchObject({
      validFrom: new Date(2026, 0, 1).getTime(),
      prices: { input: 3_000_000, output: 15_000_000 },
      tiers: [{ aboveInput: 200_000, prices: { input: 6_000_000, output: 22_500_000 } }],
      origin: 'CSV, 2026-11-21',
    });
    expect(prices[1]?.prices.videoSecond).toEqual({ '480p': 50_000, '*': 100_000 });
  });

  it.each([
    ['a,b\n1,2', 'Line 1: the column “model” is missing.'],
    ['model,input\n,3', 'Line 2: a model is missing.'],
    ['model,input\nm,three', 'Line 2, input: "three" is not an amount.'],
    ['model,input\nm,-3', 'Line 2, input: a price is not below zero.'],
    ['model,input\nm,1\nm,2', 'Line 3: this model was there before.'],
    [
      'model,above_input_tokens\nm,5',
      'Line 2: a row of this model without a threshold must precede.',
    ],
    ['model,valid_from\nm,soon', 'Line 2, valid_from: "soon" is no date such as 2026-11-21.'],
    ['model,video_second\nm,480p', 'Line 2, video_second: "480p" is not an amount.'],
    ['model,input\n"m,3', /^Line 2: Quote Not Closed/u],
  ])('%j is refused with its place', (text, message) => {
    expect(errorOf(text)).toEqual(
      message instanceof RegExp ? expect.stringMatching(message) : message,
    );
  });
});

it.each([
  ['', 'This file is empty.'],
  ['[1]', /^This is no list of prices/u],
  ['{"a":1}', /^This is no list of prices/u],
  ['{"a":\n 1,}', /^Line 2, column \d: this is not JSON\./u],
  ['{"a":', /this is not JSON\./u],
  ['{"format":"gatehouse-prices","version":2,"prices":[]}', /later version/u],
  [
    '{"format":"gatehouse-prices","version":1,"prices":[{"model":"m","prices":{"input":"x"}}]}',
    'prices[0] ("m"), input: "x" is not an amount.',
  ],
])('the file %j is refused', (text, message) => {
  expect(errorOf(text)).toEqual(
    message instanceof RegExp ? expect.stringMatching(message) : message,
  );
});

it('reads nothing above 20 MiB', () => {
  expect(errorOf(`{"a":"${'x'.repeat(20 * 1024 * 1024)}"}`)).toMatch(/at most 20 MiB/u);
});

const anAmount = fc.integer({ min: 0, max: MAX_PRICE });
const aCard = fc.record({
  input: fc.option(anAmount),
  output: fc.option(anAmount),
  cacheRead: fc.option(anAmount),
  cacheWrite: fc.option(anAmount),
  cacheWriteHour: fc.option(anAmount),
  reasoning: fc.option(anAmount),
  request: fc.option(anAmount),
  image: fc.option(anAmount),
  videoSecond: fc.dictionary(fc.constantFrom('*', '480p', '4 k', 'a=b', '=1', '%'), anAmount),
});
const aPrice: fc.Arbitrary<NewPrice> = fc.record({
  service: fc.option(fc.constantFrom('https://a.example', '=cmd', 'sandbox')),
  model: fc
    .string({ minLength: 1, maxLength: 30, unit: 'grapheme' })
    .filter((text) => text.trim() === text && text !== '' && !text.includes('\0')),
  validFrom: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 4e12 })),
  prices: aCard,
  tiers: fc
    .uniqueArray(fc.integer({ min: 1, max: 1e9 }), { maxLength: 3 })
    .chain((bounds) =>
      fc.tuple(
        ...bounds.map((aboveInput) =>
          fc.record({ aboveInput: fc.constant(aboveInput), prices: aCard }),
        ),
      ),
    ),
  origin: fc.constantFrom('entered', "'=1", 'LiteLLM, 2026-11-21', '"\n,'),
});

it('what is exported is imported as the same prices', () => {
  const somePrices = fc.uniqueArray(aPrice, {
    minLength: 1,
    maxLength: 5,
    selector: ({ service, model, validFrom }) => JSON.stringify([service, model, validFrom]),
  });
  fc.assert(
    fc.property(somePrices, (prices) => {
      expect(read(writeOwnJson(prices, 'EUR'))).toEqual({
        format: 'gatehouse',
        currency: 'EUR',
        prices,
        skipped: 0,
      });
      expect(read(writeOwnCsv(prices)).prices).toEqual(prices);
    }),
  );
});

it('any text is read or refused with a sentence', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string(), fc.json(), fc.constant('model,')),
      fc.string(),
      (one, other) => {
        expect(errorOf(one + other)).toEqual(expect.any(String));
      },
    ),
  );
});
