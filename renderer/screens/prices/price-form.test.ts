import { expect, it } from 'vitest';
import { type NewPrice, NO_PRICES } from '../../../shared/money/price.ts';
import { fillPriceForm, readPriceForm, toPriceForm, unfillPriceForm } from './price-form.ts';

const PRICE: NewPrice = {
  service: 'https://a.example',
  model: 'acme/*',
  validFrom: new Date(2026, 10, 21, 9, 30).getTime(),
  prices: { ...NO_PRICES, input: 3_000_000, output: 125_000, videoSecond: { '480p': 50_000 } },
  tiers: [{ aboveInput: 200_000, prices: { ...NO_PRICES, input: 6_000_000 } }],
  origin: 'entered',
};

it('reads what it shows as the same price', () => {
  expect(toPriceForm(PRICE)).toMatchObject({ from: '2026-11-21', videoSecond: '480p=0.05' });
  expect(readPriceForm(toPriceForm(PRICE), PRICE)).toEqual({ price: PRICE });
});

it('says what is wrong at each field', () => {
  const form = toPriceForm(PRICE);
  const wrong = {
    ...form,
    model: ' ',
    from: 'soon',
    videoSecond: '480p',
    amounts: { ...form.amounts, output: '1,5' },
  };
  expect(readPriceForm(wrong, PRICE)).toEqual({
    errors: {
      model: 'Enter the id of a model.',
      from: 'Enter a date such as 2026-11-21.',
      videoSecond: 'Enter amounts by resolution, such as 480p=0.05 *=0.1.',
      output: 'Enter an amount such as 3 or 0.25.',
    },
  });
  const half = { ...PRICE, prices: { ...NO_PRICES, input: 3_000_000 } };
  expect(readPriceForm(toPriceForm(half), PRICE)).toEqual({
    errors: { output: 'Enter an amount, or 0 where output costs nothing.' },
  });
  // A price that had none can be changed.
  expect(readPriceForm(toPriceForm(half), half)).toEqual({ price: half });
  const empty = toPriceForm({ ...PRICE, prices: NO_PRICES });
  expect(readPriceForm(empty, PRICE)).toEqual({ errors: { input: 'Enter an amount.' } });
});

it('is filled from a price that it would replace where nothing is typed', () => {
  const form = toPriceForm({ ...PRICE, prices: { ...NO_PRICES, input: 1_000_000 } });
  const present = {
    ...PRICE,
    prices: {
      ...NO_PRICES,
      input: 3_000_000,
      cacheRead: 300_000,
      videoSecond: { '480p': 50_000 },
    },
  };
  const initial = { ...form, amounts: { ...form.amounts, input: '2', image: '9' } };
  const typed = { ...form, amounts: { ...form.amounts, image: '9' }, videoSecond: '2K=0.3' };
  expect(fillPriceForm(typed, { initial, present })).toMatchObject({
    amounts: { image: '', input: '1', output: '', cacheRead: '0.3' },
    videoSecond: '480p=0.05 2K=0.3',
  });
});

it('gives back what was filled in, and keeps what was typed since', () => {
  const initial = toPriceForm({ ...PRICE, prices: NO_PRICES });
  const before = {
    ...initial,
    amounts: { ...initial.amounts, input: '1' },
    videoSecond: '2K=0.3',
  };
  const videoSecond = { '480p': 50_000 };
  const present = {
    ...PRICE,
    prices: { ...NO_PRICES, cacheRead: 300_000, image: 5_000, videoSecond },
  };
  const after = fillPriceForm(before, { initial, present });
  const typed = {
    ...after,
    model: 'two',
    amounts: { ...after.amounts, image: '7' },
    videoSecond: '480p=0.05 2K=0.4',
  };
  expect(unfillPriceForm(typed, { before, after })).toEqual({
    ...before,
    model: 'two',
    amounts: { ...before.amounts, image: '7' },
    videoSecond: '2K=0.4',
  });
});
