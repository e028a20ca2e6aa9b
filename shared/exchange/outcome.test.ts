import { expect, test } from 'vitest';
import { reachedService } from './outcome.ts';

const UNREACHED = {
  attempts: 1,
  status: 504,
  errorCode: 'upstream_timeout',
  firstByteMs: null,
  cost: null,
} as const;
const COST = { amount: null, source: 'unknown', priceId: null } as const;

test.each([
  [{}, false],
  [{ status: 502, errorCode: 'upstream_unreachable' }, false],
  [{ status: null }, false],
  [{ attempts: 0, errorCode: null }, false],
  [{ errorCode: 'upstream_connection_lost' }, true],
  [{ status: 200 }, true],
  [{ status: 503 }, true],
  [{ firstByteMs: 9 }, true],
  [{ cost: COST }, true],
])('a request for which the record has %j reached the service: %s', (fields, reached) => {
  expect(reachedService({ ...UNREACHED, ...fields })).toBe(reached);
});
