import { expect, test } from 'vitest';
import { describeConnectionFailure } from '../../shared/unreachable.ts';
import { explainKeyError, explainKeyStatus } from './key-test-result.ts';

const CASES = [
  explainKeyStatus(200),
  explainKeyStatus(302),
  explainKeyStatus(400),
  explainKeyStatus(401),
  explainKeyStatus(403),
  explainKeyStatus(404),
  explainKeyStatus(429),
  explainKeyStatus(500),
  ...[
    'ENOTFOUND',
    'ECONNREFUSED',
    'DEPTH_ZERO_SELF_SIGNED_CERT',
    'ETIMEDOUT',
    'EHOSTUNREACH',
    'MODEL_LIST_TOO_LARGE',
  ].map((code) => explainKeyError(Object.assign(new Error('x'), { code }))),
];

test('every failure of a key test has its own message and code', () => {
  expect(new Set(CASES.map(({ code }) => code)).size).toBe(CASES.length);
  expect(new Set(CASES.map(({ sentence }) => sentence)).size).toBe(CASES.length);
});

test('only a 2xx answer accepts the key, and everything else says what to do', () => {
  expect(CASES.filter(({ accepted }) => accepted)).toHaveLength(1);
  expect(CASES.filter(({ advice }) => advice === '')).toHaveLength(1);
});

test('a timeout signal and a wrapped system error are recognised', () => {
  expect(explainKeyError(new DOMException('late', 'TimeoutError')).code).toBe('timeout');
  const cause = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
  expect(explainKeyError(new Error('fetch failed', { cause })).code).toBe('connection_refused');
  expect(explainKeyError(new AggregateError([cause])).code).toBe('connection_refused');
  expect(explainKeyError('odd').code).toBe('unreachable');
});

test('the advice for a refused key names a command in a terminal, but not on a page', () => {
  expect(explainKeyStatus(401, 'gatehouse').advice).toMatch(
    /console of the service\. Then run "gatehouse key set"\.$/u,
  );
  expect(explainKeyStatus(401, null).advice).toBe(
    'Copy the whole key again from the web console of the service.',
  );
});

test('a connection that failed is described in the words of all other errors', () => {
  const expected = [
    ['ECONNREFUSED', 'connection_refused'],
    ['EAI_AGAIN', 'name_not_found'],
    ['CERT_HAS_EXPIRED', 'tls_failed'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'tls_failed'],
    ['EHOSTUNREACH', 'unreachable'],
  ] as const;
  for (const [name, code] of expected) {
    const { cause, advice } = describeConnectionFailure(name);
    const tested = explainKeyError(Object.assign(new Error('x'), { code: name }));
    expect(tested).toMatchObject({ code, advice });
    expect(tested.sentence).toContain(cause);
  }
});
