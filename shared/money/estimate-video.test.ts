import { expect, it } from 'vitest';
import { estimateVideo } from './estimate-video.ts';
import { NO_PRICES } from './price.ts';

const PRICE = {
  prices: { ...NO_PRICES, videoSecond: { '480p': 50_000, '*': 90_000 }, request: 5 },
};

it.each([
  ['4', '480p', 200_005],
  ['1.5', '4k', 135_005],
  ['2', null, 180_005],
  ['2', '__proto__', 180_005],
  ['', '480p', null],
  ['long', '480p', null],
  ['-1', '480p', null],
  [null, '480p', null],
])('a video of %j s at %j costs %j', (seconds, resolution, amount) => {
  expect(estimateVideo(PRICE, { seconds, resolution })).toBe(amount);
});

it('is the price of an order where seconds have none', () => {
  const prices = { ...NO_PRICES, request: 5 };
  expect(estimateVideo({ prices }, { seconds: null, resolution: null })).toBe(5);
});

it('is not known without a price of a second', () => {
  expect(estimateVideo({ prices: NO_PRICES }, { seconds: '4', resolution: null })).toBeNull();
});
