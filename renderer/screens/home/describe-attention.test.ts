import { expect, test } from 'vitest';
import type { Attention } from '../../../shared/history/history.ts';
import { describeAttention } from './describe-attention.ts';

const FAILING: Attention = {
  kind: 'client',
  id: 'client',
  clientName: 'Cline',
  others: [],
  reason: 'expired key',
  userAgent: 'Cline/3.1 (linux)',
  filter: '',
  failures: 12,
  of: 20,
  uncounted: 0,
  shared: false,
  status: 401,
  errorCode: 'expired_local_key',
  at: 0,
};

test('a failing client is told with its figures and the latest reason', () => {
  expect(describeAttention(FAILING)).toEqual({
    title: 'Requests of “Cline” keep failing',
    text: '12 of its latest 20 requests failed, the last with 401 expired key (Cline/3.1). Each of them shows what to change.',
  });
});

test('a failing client without status and reason is told all the same', () => {
  const { text } = describeAttention({ ...FAILING, status: null, errorCode: null, reason: null });
  expect(text).toContain('12 of its latest 20 requests failed (Cline/3.1). Each');
});

test.each([
  [['Codex'], 'Requests of “Cline” and “Codex” keep failing'],
  [['Codex', 'Zed'], 'Requests of “Cline”, “Codex” and “Zed” keep failing'],
  [['Codex', 'Zed', 'pi'], 'Requests of “Cline”, “Codex” and 2 more keep failing'],
])('clients that fail for one cause are told together: %j', (others, title) => {
  const down = { status: 503, errorCode: null, reason: 'service not ready', shared: true };
  const failing = { ...FAILING, ...down, others };
  expect(describeAttention(failing)).toEqual({
    title,
    text: '12 of their latest 20 requests failed, the last with 503 service not ready. The cause is not the program, but the service or the way to it.',
  });
});

test('a failing client is not called the cause of what it cannot change', () => {
  const page = { status: 200, errorCode: 'unexpected_content_type', reason: 'not JSON' };
  expect(describeAttention({ ...FAILING, ...page, shared: true })).toEqual({
    title: 'Requests of “Cline” keep failing',
    text: '12 of its latest 20 requests failed, the last with 200 not JSON. The cause is not the program, but the service or the way to it.',
  });
});

test('requests that a limit or a pause refused are told, because they are not counted', () => {
  const { text } = describeAttention({ ...FAILING, uncounted: 3 });
  expect(text).toContain(
    '12 of its latest 20 requests failed, not counting 3 that a limit or a pause refused, the last',
  );
});

test('a service without a key is not told to have one that does not work', () => {
  const key = { kind: 'key', id: 'key', sentence: 'No key yet.' } as const;
  expect(describeAttention({ ...key, at: null }).title).toBe('No service key can be used');
  expect(describeAttention({ ...key, at: 1 }).title).toBe('The service key is refused');
});

test('a client that sends a revoked key is told with that cause', () => {
  const revoked = { ...FAILING, errorCode: 'invalid_local_key', failures: 4, of: 4 };
  expect(describeAttention(revoked)).toEqual({
    title: 'The key of “Cline” was revoked or replaced',
    text: 'Gatehouse refuses its requests (Cline/3.1). All of its latest 4 requests failed. Add the client again in Clients if it was revoked, and enter its new key in the program.',
  });
});

const UNKNOWN: Attention = {
  kind: 'unknown',
  id: 'unknown',
  userAgent: 'curl/8.5.0',
  requests: 5,
  status: 401,
  errorCode: 'missing_local_key',
  errorMessage: null,
  reason: 'no key',
  at: 0,
  filter: '',
};

test('an alarm names the program, the number of its requests and the cause', () => {
  expect(describeAttention(UNKNOWN)).toEqual({
    title: 'curl/8.5.0 has sent 5 requests without a key',
    text: 'Gatehouse refused them. Give it a local key of its own in Clients.',
  });
  const odd = {
    ...UNKNOWN,
    userAgent: null,
    status: 421,
    errorCode: 'host_not_allowed',
    reason: 'wrong host',
    errorMessage: 'Use the address of Clients.',
  };
  expect(describeAttention(odd)).toEqual({
    title: 'An unnamed program has sent 5 requests that were refused',
    text: 'They have no valid local key, the last with 421 wrong host. Use the address of Clients.',
  });
});

test('a program that uses https:// gets the same advice as in the history', () => {
  const errorMessage = 'This client used https://. Use http://127.0.0.1:6417/v1.';
  const https = { ...UNKNOWN, userAgent: null, errorCode: 'https_not_supported', errorMessage };
  expect(describeAttention(https)).toEqual({
    title: 'An unnamed program has sent 5 requests with https://',
    text: errorMessage,
  });
});

test('a service that is not reached is called by its name', () => {
  const { title, text } = describeAttention({
    kind: 'unreachable',
    id: 'u',
    serviceName: 'Example',
    sentence: 'Nothing is listening.',
    failures: 1,
    refused: 2,
    at: 0,
    filter: '',
  });
  expect(title).toBe('Example cannot be reached');
  expect(text).toBe(
    'Nothing is listening. The last request got no reply. Gatehouse refused 2 requests without sending. Clients will see errors until it is back.',
  );
});

test('a repair is told with the client and the mistake, and how often it was made', () => {
  const repair: Attention = {
    kind: 'repair',
    id: 'repair',
    clientName: 'Zed',
    code: 'path-missing-v1',
    advice: '',
    times: 1,
    at: 0,
    filter: 'repair:path-missing-v1',
  };
  expect(describeAttention(repair)).toEqual({
    title: 'Zed: the base address lacks /v1',
    text: 'Gatehouse corrected this 1 time, so the requests reach the service.',
  });
});

test('the key is told in the words of the engine, and missing records with their number', () => {
  const sentence = 'The keychain is locked.';
  expect(describeAttention({ kind: 'key', id: 'key', sentence, at: null }).text).toBe(sentence);
  const { title } = describeAttention({ kind: 'dropped', id: 'd', exchanges: 1200 });
  expect(title).toBe('1,200 requests missing in the history');
});

test('requests that a limit of money cannot count are told with their models and clients', () => {
  const pass = { clientName: 'Cline', model: 'a', requests: 1, at: 1 };
  const unpriced = { kind: 'unpriced', id: 'unpriced', at: 1 } as const;
  expect(describeAttention({ ...unpriced, passes: [pass] })).toEqual({
    title: 'A limit of money does not count “a”',
    text: '1 request of “Cline” passed uncounted: there is no price, or a video has no length. Set a price, 0 for what is free. Settings can refuse such requests.',
  });
  const both = [pass, { ...pass, model: 'b', requests: 4 }, { ...pass, clientName: 'Zed' }];
  const { title, text } = describeAttention({ ...unpriced, passes: both });
  expect(title).toBe('A limit of money does not count “a” and “b”');
  expect(text).toContain('6 requests of “Cline” and “Zed” passed uncounted');
});
