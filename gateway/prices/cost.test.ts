import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NO_PRICES, type Price, type Prices } from '../../shared/money/price.ts';
import { NO_MEDIA, UNKNOWN_USAGE, type Usage } from '../../shared/exchange/usage.ts';
import { PROBLEMS } from '../../shared/problem.ts';
import { type CostFacts, costOf, toVideoLength } from './cost.ts';

const REPORTED: Usage = { ...UNKNOWN_USAGE, source: 'reported', input: 0, output: 0 };

function aPrice(prices: Partial<Prices>, tiers: Price['tiers'] = []): Price {
  return {
    id: 7,
    service: null,
    model: 'm',
    validFrom: 0,
    prices: { ...NO_PRICES, ...prices },
    tiers,
    origin: 'entered',
    createdAt: 0,
    retiredAt: null,
  };
}

function priced(usage: Partial<Usage>, price: Price) {
  return costOf(facts(usage), () => price);
}

function facts(usage: Partial<Usage>, more: Partial<CostFacts> = {}): CostFacts {
  return {
    service: 's',
    route: 'messages',
    status: 200,
    errorCode: null,
    attempts: 1,
    startedAt: 1,
    modelSent: 'm',
    modelAsked: 'm',
    modelServed: null,
    usage: { ...REPORTED, ...usage },
    video: null,
    ...more,
  };
}

describe('the cost of a text', () => {
  it('counts each kind of token once, by its own price', () => {
    const price = aPrice({
      input: 3_000_000,
      output: 15_000_000,
      cacheRead: 300_000,
      cacheWrite: 3_750_000,
      cacheWriteHour: 6_000_000,
      reasoning: 20_000_000,
      request: 11,
    });
    const usage = {
      input: 1000,
      cacheRead: 500,
      cacheWrite: 200,
      cacheWriteHour: 50,
      output: 100,
      reasoning: 40,
    };
    // 300 × 3 + 500 × 0.3 + 150 × 3.75 + 50 × 6 + 60 × 15 + 40 × 20 = 3612.5, rounded up, and 11 for the request.
    expect(costOf(facts(usage), () => price)).toEqual({
      amount: 3613 + 11,
      source: 'reported',
      priceId: 7,
    });
  });

  it('counts each image of a request, and is estimated where images were not counted', () => {
    const media = { ...NO_MEDIA, images: 3 };
    const both = aPrice({ input: 1_000_000, image: 40_000 });
    expect(priced({ input: 70, media }, both)).toMatchObject({
      amount: 120_070,
      source: 'reported',
    });
    expect(priced({ input: 70 }, both)).toMatchObject({ amount: 70, source: 'estimated' });
    const alone = aPrice({ image: 40_000 });
    expect(priced({ media }, alone)).toMatchObject({ amount: 120_000, source: 'reported' });
    expect(priced({}, alone)).toMatchObject({ amount: null, source: 'unknown' });
    expect(priced({ media: { ...NO_MEDIA, images: 0 } }, alone)).toMatchObject({ amount: 0 });
    expect(priced({ media }, aPrice({ input: 1_000_000 }))).toMatchObject({ source: 'reported' });
  });

  it('takes the prices of the tier for the whole request', () => {
    const tier = { aboveInput: 1000, prices: { ...NO_PRICES, input: 2_000_000, output: 0 } };
    const price = aPrice({ input: 1_000_000, output: 0 }, [tier]);
    expect(costOf(facts({ input: 1000 }), () => price)?.amount).toBe(1000);
    expect(costOf(facts({ input: 1001 }), () => price)?.amount).toBe(2002);
  });

  it('is estimated where one side is unknown, and unknown without counts', () => {
    const price = aPrice({ input: 1_000_000, output: 1_000_000 });
    expect(costOf(facts({ input: 10, output: null }), () => price)).toMatchObject({
      amount: 10,
      source: 'estimated',
    });
    expect(costOf(facts(UNKNOWN_USAGE), () => price)).toEqual({
      amount: null,
      source: 'unknown',
      priceId: 7,
    });
  });

  it('is unpriced, never zero, without a price', () => {
    const unpriced = { amount: null, source: 'unpriced' };
    expect(costOf(facts({ input: 10 }), () => null)).toMatchObject(unpriced);
    expect(costOf(facts({ input: 10 }), () => aPrice({}))).toMatchObject(unpriced);
  });

  it('is exact for absurd counts and prices, and bounded', () => {
    const tokens = fc.integer({ min: 0, max: 1e9 });
    const price = fc.integer({ min: 0, max: 1e12 });
    fc.assert(
      fc.property(tokens, tokens, price, price, (input, output, one, other) => {
        const exact = (BigInt(input) * BigInt(one) + BigInt(output) * BigInt(other)) * 2n;
        const rounded = (exact + 1_000_000n) / 2_000_000n;
        const cost = costOf(facts({ input, output }), () => aPrice({ input: one, output: other }));
        expect(cost?.amount).toBe(Math.min(Number(rounded), 1e12));
      }),
    );
  });

  it('never gets lower because more of the input was cached than counted', () => {
    const price = aPrice({ input: 1_000_000, output: 0, cacheRead: 0, cacheWrite: 0 });
    const cost = costOf(facts({ input: 10, cacheRead: 50, cacheWrite: 70 }), () => price);
    expect(cost?.amount).toBe(0);
  });
});

describe('nothing is paid for', () => {
  it.each<[string, Partial<CostFacts>]>([
    ['a request that was not sent', { attempts: 0 }],
    ['a refusal of the service', { status: 429 }],
    ['a list of models', { route: 'models' }],
    ['a status of a video', { route: 'video-status' }],
  ])('%s', (_, more) => {
    expect(costOf(facts({ input: 10 }, more), () => aPrice({ input: 1_000_000 }))).toBeNull();
  });

  it('but for a request whose answer was lost after it was sent', () => {
    const lost = { status: 502, errorCode: 'upstream_connection_lost' };
    const price = aPrice({ input: 1_000_000, output: 0 });
    expect(costOf(facts({ input: 10 }, lost), () => price)?.amount).toBe(10);
    const unsent = { ...lost, errorCode: 'upstream_unreachable' };
    expect(costOf(facts({ input: 10 }, unsent), () => price)).toBeNull();
  });

  it.each(Object.keys(PROBLEMS))('but for an answer that ended with the error %s', (errorCode) => {
    const price = aPrice({ input: 1_000_000, output: 0 });
    expect(costOf(facts({ input: 10 }, { errorCode }), () => price)?.amount).toBe(10);
  });

  it('but for a request whose client left before the answer', () => {
    const left = facts(UNKNOWN_USAGE, { status: null });
    expect(costOf(left, () => aPrice({ input: 1 }))?.source).toBe('unknown');
  });
});

describe('the cost of a video', () => {
  const order = { route: 'video-submit', video: { seconds: 4, resolution: '480p' } } as const;

  it('is that of its seconds at its resolution', () => {
    const price = aPrice({ videoSecond: { '480p': 50_000, '*': 90_000 }, request: 5 });
    expect(costOf(facts({}, order), () => price)).toMatchObject({ amount: 200_005 });
    const other = { ...order, video: { seconds: 1.5, resolution: '4k' } };
    expect(costOf(facts({}, other), () => price)).toMatchObject({ amount: 135_005 });
  });

  it.each(['constructor', '__proto__', 'toString'])('has no price at %s', (resolution) => {
    const odd = { ...order, video: { seconds: 4, resolution } };
    const price = aPrice({ videoSecond: { '480p': 1 } });
    expect(costOf(facts({}, odd), () => price)).toMatchObject({ amount: null });
  });

  it('is unpriced at a resolution without a price, and unknown without a length', () => {
    const price = aPrice({ videoSecond: { '720p': 50_000 } });
    expect(costOf(facts({}, order), () => price)).toMatchObject({ source: 'unpriced' });
    const noLength = { ...order, video: null };
    expect(costOf(facts({}, noLength), () => price)).toMatchObject({ source: 'unknown' });
  });

  it('is a price for each order also without a length', () => {
    const noLength = facts({}, { ...order, video: null });
    expect(costOf(noLength, () => aPrice({ request: 5 }))).toMatchObject({ amount: 5 });
  });

  it.each([
    [{ status: 200 }, 'reported'],
    [{ status: 200, errorCode: 'upstream_invalid_answer' }, 'estimated'],
    [{ status: null, errorCode: 'upstream_connection_lost' }, 'estimated'],
    [{ status: 307 }, undefined],
    [{ status: null, errorCode: 'upstream_unreachable' }, undefined],
    [{ status: 504, errorCode: 'upstream_timeout' }, 'estimated'],
    [{ status: 502, errorCode: 'upstream_unreachable' }, 'estimated'],
    [{ status: 408 }, 'estimated'],
    [{ status: 500, errorCode: 'internal_error' }, 'estimated'],
    [{ status: 400, errorCode: 'internal_error' }, undefined],
    [{ status: 429 }, undefined],
  ])('that ended with %j is %s', (ended, source) => {
    const price = aPrice({ request: 5 });
    expect(costOf(facts({}, { ...order, ...ended }), () => price)?.source).toBe(source);
  });

  it.each([
    ['4', '480p', { seconds: 4, resolution: '480p' }],
    [2.5, undefined, { seconds: 2.5, resolution: '' }],
    ['', '480p', null],
    ['-1', '480p', null],
    [1e9, '480p', null],
    [[], '480p', null],
    [null, null, null],
  ])('has the length that %j and %j say', (seconds, resolution, length) => {
    expect(toVideoLength(seconds, resolution)).toEqual(length);
  });
});
