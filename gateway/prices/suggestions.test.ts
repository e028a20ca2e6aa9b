import { readFile } from 'node:fs/promises';
import { expect, it, test } from 'vitest';
import { NO_PRICES, type Price } from '../../shared/money/price.ts';
import { findSandboxPrice, withPlayPrices } from './sandbox-prices.ts';
import { SUGGESTIONS_OF, suggestPrices } from './suggestions.ts';

const AT = Date.UTC(2026, 10, 21);
const OWN: Price = {
  id: 1,
  service: null,
  model: 'acme/film',
  validFrom: 0,
  prices: NO_PRICES,
  tiers: [],
  origin: 'entered',
  createdAt: 0,
  retiredAt: null,
};

async function suggest(model: string) {
  return (await suggestPrices([model], AT)).get(model) ?? null;
}

test('the version that suggestions name is the installed one', async () => {
  const file = 'node_modules/@pydantic/genai-prices/package.json';
  expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({
    version: SUGGESTIONS_OF.version,
  });
});

it.each(['claude-sonnet-4-5', 'anthropic/claude-sonnet-4.5', 'Claude-Sonnet-4-5'])(
  'the price of %s is that of its maker, exact',
  async (model) => {
    const base = {
      ...NO_PRICES,
      input: 3_000_000,
      output: 15_000_000,
      cacheRead: 300_000,
      cacheWrite: 3_750_000,
      cacheWriteHour: 6_000_000,
    };
    expect(await suggest(model)).toEqual({
      service: null,
      model,
      validFrom: 0,
      prices: base,
      tiers: [
        {
          aboveInput: 200_000,
          prices: {
            ...base,
            input: 6_000_000,
            output: 22_500_000,
            cacheRead: 600_000,
            cacheWrite: 7_500_000,
            cacheWriteHour: 12_000_000,
          },
        },
      ],
      origin: 'Anthropic, genai-prices 0.1.8 of 2026-09-23',
    });
  },
);

it('takes another provider for a model whose maker has no price there', async () => {
  const price = await suggest('llama-3.3-70b-versatile');
  expect(price?.origin).toMatch(/^(?!Meta).+, genai-prices /u);
});

it.each([
  ['claude-opus-4-11', 'claude-opus-4-1'],
  ['claude-sonnet-4-50', 'claude-sonnet-4-5'],
  ['claude-sonnet-4-5-mini', 'claude-sonnet-4-5'],
  ['gemini-2.5-proof', 'gemini-2.5-pro'],
  ['gemini-2.5-pro-fake', 'gemini-2.5-pro'],
  ['deepseek-chat-v9', 'deepseek-chat'],
  ['gpt-44', 'gpt-4'],
  ['o3x', 'o3'],
  ['my-gpt-4o', 'gpt-4o'],
])('suggests nothing for %s, which only looks like %s', async (near, model) => {
  expect(await suggest(model)).not.toBeNull();
  expect(await suggest(near)).toBeNull();
});

it.each([
  ['claude-sonnet-4-5-20250929', 'claude-sonnet-4-5'],
  ['claude-3-5-sonnet-latest', 'claude-3-5-sonnet-20241022'],
  ['gpt-4.1-mini-2025-04-14', 'gpt-4.1-mini'],
  ['anthropic/claude-haiku-4.5', 'claude-haiku-4-5'],
  ['eu.anthropic.claude-sonnet-4-5-20250929-v1:0', 'claude-sonnet-4-5'],
  ['us.anthropic.claude-opus-4-20250514-v1:0', 'claude-opus-4'],
  ['us.amazon.nova-pro-v1:0', 'amazon.nova-pro-v1:0'],
  ['gemini-2.5-pro-preview-05-06', 'gemini-2.5-pro'],
])('%s has the price of %s', async (release, model) => {
  const price = await suggest(release);
  expect(price).not.toBeNull();
  const { input, output } = (await suggest(model))?.prices ?? NO_PRICES;
  // Platforms have no price of their own for an hour in the cache.
  expect(price?.prices).toMatchObject({ input, output });
});

it.each(['', 'nope', '__proto__', 'a'.repeat(10_000), '*', '\0'])(
  'suggests nothing for the model %j',
  async (model) => {
    expect(await suggest(model)).toBeNull();
  },
);

it('has play prices for the sandbox only', () => {
  expect(findSandboxPrice('https://a.example', 'h3')).toBeNull();
  expect(findSandboxPrice('sandbox', 'h3')?.prices.videoSecond['480p']).toBe(50_000);
  expect(findSandboxPrice('sandbox', 'aurora/aurora-small')?.prices.input).toBe(250_000);
  expect(findSandboxPrice('sandbox', 'anything')?.origin).toBe('sandbox, not charged');
});

it.each([
  ['h3', { videoSecond: { '1080p': 7 } }, { '480p': 50_000, '*': 100_000, '1080p': 7 }],
  ['h3', { videoSecond: { '*': 7 } }, { '*': 7 }],
  ['h3', { request: 7 }, {}],
  ['h3', { input: 7, output: 7 }, { '480p': 50_000, '*': 100_000 }],
])(
  '%s with the price %j has these prices of videos in the sandbox: %j',
  (model, amounts, seconds) => {
    const own = { ...OWN, model, prices: { ...NO_PRICES, ...amounts } };
    expect(withPlayPrices(own, 'sandbox', model).prices.videoSecond).toEqual(seconds);
    expect(withPlayPrices(own, 'https://a.example', model)).toBe(own);
  },
);

it('has play prices of texts where a person’s price is of videos alone', () => {
  const ofVideos = { ...OWN, prices: { ...NO_PRICES, videoSecond: { '*': 7 } } };
  expect(withPlayPrices(ofVideos, 'sandbox', OWN.model).prices).toMatchObject({
    input: 3_000_000,
    videoSecond: { '*': 7 },
  });
  const ofTexts = { ...OWN, prices: { ...NO_PRICES, input: 7, output: 8 } };
  expect(withPlayPrices(ofTexts, 'sandbox', OWN.model).prices).toMatchObject({
    input: 7,
    cacheRead: null,
  });
});
