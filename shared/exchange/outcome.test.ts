import { expect, test } from 'vitest';
import { describeFailure } from './outcome.ts';
import { PROBLEMS } from '../problem.ts';

const DONE = { status: 200, errorCode: null, endedBy: 'service' } as const;

test.each([
  [DONE, null],
  [{ ...DONE, endedBy: 'gateway' }, null],
  [{ ...DONE, status: 302 }, null],
  [{ ...DONE, errorCode: 'upstream_connection_lost' }, 'cut off'],
  [{ ...DONE, endedBy: 'gateway', errorCode: 'shutting_down' }, 'cut off'],
  [{ ...DONE, errorCode: 'overloaded_error' }, 'overloaded error'],
  [{ ...DONE, endedBy: 'client' }, 'client left'],
  [{ status: null, errorCode: null, endedBy: 'client' }, 'client left'],
  [{ ...DONE, endedBy: 'client', errorCode: 'overloaded_error' }, 'overloaded error'],
  [{ status: null, errorCode: null, endedBy: 'gateway' }, 'no answer'],
  [{ status: 401, errorCode: 'invalid_local_key', endedBy: 'gateway' }, 'wrong key'],
  [
    { status: 401, errorCode: 'invalid_local_key', endedBy: 'gateway', clientName: 'Editor' },
    'revoked key',
  ],
  [{ status: 503, errorCode: 'paused', endedBy: 'gateway' }, 'paused'],
  [{ status: 502, errorCode: 'upstream_unreachable', endedBy: 'service' }, 'unreachable'],
  [{ ...DONE, status: 401, errorCode: 'invalid_api_key' }, 'service key refused'],
  [{ ...DONE, status: 404, errorCode: 'model_not_found' }, 'model not found'],
  [{ ...DONE, status: 429, errorCode: 'too_many_exchanges' }, 'too many exchanges'],
  [{ ...DONE, status: 500, errorCode: '500' }, 'service error'],
  [{ ...DONE, status: 418 }, 'refused'],
] as const)('%j failed by: %s', (ended, words) => {
  expect(describeFailure(ended)).toBe(words);
});

test('every answer of Gatehouse has a few words, which fit into a column', () => {
  for (const [errorCode, { status }] of Object.entries(PROBLEMS)) {
    const words = describeFailure({ status, errorCode, endedBy: 'gateway' });
    expect(words?.length).toBeGreaterThan(3);
    expect(words?.length).toBeLessThanOrEqual(16);
  }
});

test('a long code of the service is shortened', () => {
  expect(describeFailure({ ...DONE, status: 400, errorCode: 'x'.repeat(500) })).toHaveLength(40);
});
