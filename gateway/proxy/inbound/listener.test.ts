import { expect, test } from 'vitest';
import { toHeadTimeoutOptions } from './listener.ts';
import { LIMITS } from '../context.ts';

test('a head that is not complete within 15 seconds is cut before the 16th is over', () => {
  const { headersTimeout, connectionsCheckingInterval } = toHeadTimeoutOptions(LIMITS);
  expect(headersTimeout).toBe(15_000);
  expect(headersTimeout + connectionsCheckingInterval).toBeLessThanOrEqual(16_000);
});
