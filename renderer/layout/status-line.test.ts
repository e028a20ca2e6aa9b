import { expect, test } from 'vitest';
import type { Status } from '../../shared/status.ts';
import { UpstreamId } from '../../shared/upstream.ts';
import { toStatusLine } from './status-line.ts';

const NOON = new Date(2026, 10, 21, 12).getTime();
const WELL: Status = {
  version: '1.0.0',
  engine: 'e',
  startedAt: 0,
  port: 6417,
  baseUrls: { chat: 'http://127.0.0.1:6417/v1', messages: 'http://127.0.0.1:6417' },
  furtherListeners: [],
  upstream: {
    id: UpstreamId.parse('u'),
    kind: 'service',
    name: 'Example',
    baseUrl: 'https://models.example.com',
    versionVendor: 'anthropic',
    caFile: null,
    proxyUrl: null,
    active: true,
    asksCacheReason: false,
  },
  key: { name: 'keychain', sentence: 'The service key is in the keychain.' },
  keyRefusedAt: null,
  limitedAt: null,
  load: {
    inFlight: 0,
    waiting: 0,
    limit: null,
    heldMs: 0,
    circuit: 'closed',
    retryMs: 0,
    calls: 0,
    throttled: 0,
    retries: 0,
    refused: 0,
  },
  reach: { state: 'reachable', sentence: 'The service answered.', at: 1 },
  paused: false,
  pausedAt: null,
  lastError: null,
  profile: null,
  profiles: [],
  repairs: true,
  setUp: true,
  running: 0,
};
const LIMITED = { ...WELL, limitedAt: 1 };
const UNREACHABLE: Status = {
  ...LIMITED,
  reach: { state: 'unreachable', sentence: 'Nothing listens there.', at: 1 },
};
const DOUBTFUL: Status = {
  ...WELL,
  reach: { state: 'doubtful', sentence: 'A page came.', at: 1 },
};
const FRESH: Status = {
  ...WELL,
  reach: { state: 'unknown', sentence: 'Not contacted since.', at: null },
};
const REFUSED = { ...UNREACHABLE, keyRefusedAt: 1 };
const KEYLESS: Status = { ...REFUSED, key: { name: 'locked', sentence: 'It is locked.' } };

test.each([
  [WELL, 'Example', 'Running at http://127.0.0.1:6417'],
  [FRESH, 'Example', 'Example: not contacted since.'],
  [DOUBTFUL, 'Example: no JSON', 'A page came.'],
  [LIMITED, 'Example: limit reached', '429'],
  [UNREACHABLE, 'Example: unreachable', 'Nothing listens there.'],
  [REFUSED, 'Example: key refused', 'Enter another'],
  [KEYLESS, 'Example: no key', 'It is locked.'],
  [{ ...KEYLESS, paused: true, pausedAt: NOON }, 'Paused since 12:00', 'until you resume'],
  [undefined, 'Connecting…', 'One moment.'],
] as const)('the state %# is told in short and in a sentence', (status, words, more) => {
  const statusLine = toStatusLine(status, { gone: false, now: NOON + 60_000 });
  expect(statusLine.title).toBe(words);
  expect(statusLine.detail).toContain(more);
});

test('an engine that is gone comes before all it said', () => {
  expect(
    toStatusLine({ ...WELL, paused: true, pausedAt: NOON }, { gone: true, now: NOON }).title,
  ).toBe('Not running');
});
