import { expect, test } from 'vitest';
import { measureTokens } from './measure-tokens.ts';

test('estimates of the texts of this repository are within the error that docs/usage.md states', async () => {
  const { input, output } = await measureTokens(1);
  expect(input.map(({ of }) => of).every((count) => count > 30)).toBe(true);
  for (const { first, learned } of input) {
    expect(first.median).toBeLessThan(0.35);
    expect(learned.median).toBeLessThan(0.1);
    expect(learned.p95).toBeLessThan(0.45);
  }
  for (const { first, learned } of output) {
    expect(first.median).toBeLessThan(0.3);
    expect(learned.median).toBeLessThan(0.02);
    expect(learned.p95).toBeLessThan(0.1);
  }
}, 120_000);
