import { expect, test } from 'vitest';
import { ExchangeRecord } from '../../shared/exchange/exchange.ts';
import { UNKNOWN_USAGE } from '../../shared/exchange/usage.ts';
import { GATEWAY_FAILURES } from '../../shared/failure/gateway-failures.ts';
import { describeExchange, formatStatus } from './format-exchange.ts';

const EXCHANGE = ExchangeRecord.parse({
  id: 'ex-0123456789abcdef',
  service: 'https://service.example',
  startedAt: new Date(2026, 0, 2, 3, 4, 5).getTime(),
  clientId: 'c1',
  clientName: 'Editor',
  conversation: null,
  userAgent: 'agent/1',
  route: 'chat',
  method: 'POST',
  pathReceived: '/chat/completions',
  pathSent: '/v1/chat/completions',
  modelAsked: 'large',
  modelSent: 'aurora/large',
  modelServed: 'aurora/large',
  streamed: true,
  status: 200,
  errorCode: null,
  errorMessage: null,
  endedBy: 'service',
  repairs: [{ code: 'path-missing-v1', before: '/chat', after: '/v1/chat', advice: 'Add /v1.' }],
  attempts: 1,
  bytesIn: 1_000,
  bytesOut: 2,
  firstByteMs: 300,
  durationMs: 1_200,
  overheadMs: 2,
  usage: { ...UNKNOWN_USAGE, input: 12, output: 5, cacheRead: 3, source: 'reported' },
  times: 1,
  lastAt: 1_700_000_000_000,
});

test.each([
  [{}, '200'],
  [{ errorCode: 'upstream_connection_lost' }, '200 cut off'],
  [{ endedBy: 'gateway' }, '200 here'],
  [{ endedBy: 'gateway', route: 'video-submit', attempts: 0 }, '200 repeated, not charged'],
  [{ endedBy: 'gateway', errorCode: 'shutting_down' }, '200 cut off'],
  [{ endedBy: 'client' }, '200 client left'],
  [{ errorCode: 'overloaded_error' }, '200 overloaded error'],
  [{ status: 401, endedBy: 'gateway', errorCode: 'missing_local_key' }, '401 no key'],
  [{ status: null, endedBy: 'client' }, 'client left'],
  [{ status: null, endedBy: 'gateway' }, 'no answer'],
] as const)('%j has the status %s', (change, words) => {
  expect(formatStatus({ ...EXCHANGE, ...change })).toBe(words);
});

test('an exchange is told with everything that is kept of it', () => {
  expect(describeExchange(EXCHANGE, 'USD').map(({ name, text }) => `${name}: ${text}`)).toEqual([
    'Exchange: ex-0123456789abcdef',
    'Time: 2026-01-02 03:04:05, took 1.2 s, first byte after 300 ms, 2 ms in Gatehouse before it was sent',
    'Service: https://service.example',
    'Client: Editor',
    'User agent: agent/1',
    'Received: POST /chat/completions (route: Chat)',
    'Sent: POST /v1/chat/completions (1 attempt)',
    'Model: asked large, sent aurora/large, served aurora/large',
    'Answer: 200, streamed',
    'Ended: by the service',
    'Bytes: 1,000 in, 2 out',
    'Tokens: 12 in (3 read from cache), 5 out, reported',
    'Repair: path-missing-v1',
    '  before: /chat',
    '  after: /v1/chat',
    '  advice: Add /v1.',
  ]);
});

test('a refused request has its path, what failed with advice, and that nothing was sent', () => {
  const refused = {
    ...EXCHANGE,
    clientName: null,
    pathSent: null,
    attempts: 0,
    errorCode: 'invalid_local_key',
    errorMessage: 'The key ends in …abcd.',
    endedBy: 'gateway' as const,
  };
  const reported = describeExchange({ ...refused, status: 401, repairs: [] }, 'USD');
  const text = reported.map((line) => `${line.name}: ${line.text}`).join('\n');
  expect(text).toContain('Client: unknown');
  expect(text).toContain('Received: POST /chat/completions');
  expect(text).not.toContain('Tokens');
  expect(text).toContain('Sent: nothing was sent to the service');
  const { title, meaning, advice } = GATEWAY_FAILURES.invalid_local_key;
  expect(text).toContain(`Failure: ${title}\n  meaning: ${meaning}\n  advice: ${advice[0]}\n`);
  expect(text).toContain('  code: invalid_local_key\n  message: The key ends in …abcd.');
});

test('nothing that came from outside can move the cursor', () => {
  const reported = describeExchange({ ...EXCHANGE, userAgent: 'a\u001b[2J\nb' }, 'USD');
  expect(reported.map(({ text }) => text).join('')).not.toMatch(/\p{Cc}/u);
});

test('a repeated video order is told as one', () => {
  const repeat = { endedBy: 'gateway', route: 'video-submit', attempts: 0 } as const;
  const text = describeExchange({ ...EXCHANGE, ...repeat }, 'USD').map(
    (row) => `${row.name}: ${row.text}`,
  );
  expect(text.join('\n')).toMatch(
    /^Repeat: the same video had been ordered before.* nothing was sent or charged$/mu,
  );
  expect(text).toContain('Received: POST /chat/completions (route: Video order)');
});

test('an exchange without a connection was tried, but not sent', () => {
  const unreached = { status: 502, errorCode: 'upstream_unreachable', attempts: 3 } as const;
  const none = { usage: UNKNOWN_USAGE, cost: null, firstByteMs: null };
  const exchange = { ...EXCHANGE, ...unreached, ...none };
  const lines = describeExchange(exchange, 'USD').map(({ name, text }) => `${name}: ${text}`);
  expect(lines).toContain('Sent: nothing: no connection in 3 attempts');
  expect(lines).toContain('Ended: by Gatehouse: nobody answered');
  expect(lines).toContain('Tokens: none: nothing was sent to the service');
});
