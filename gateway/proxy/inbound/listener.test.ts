import { expect, test } from 'vitest';
import { toHeadTimeoutOptions } from './listener.ts';
import { LIMITS } from '../context.ts';

test('an incomplete head is cut after 15 and before 16 seconds', () => {
  const { headersTimeout, connectionsCheckingInterval } = toHeadTimeoutOptions(LIMITS);
  expect(headersTimeout).toBe(15_000);
  expect(headersTimeout + connectionsCheckingInterval).toBeLessThanOrEqual(16_000);
});
