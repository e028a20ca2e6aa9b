import { expect, test } from 'vitest';
import { toHeadTimeoutOptions } from './listener.ts';
import { LIMITS } from '../context.ts';

test('an incomplete head is cut after 15 to 20 seconds', () => {
  const { headersTimeout, connectionsCheckingInterval } = toHeadTimeoutOptions(LIMITS);
  expect(headersTimeout).toBe(15_000);
  expect(headersTimeout + connectionsCheckingInterval).toBeLessThanOrEqual(20_000);
});
