import { expect, test } from 'vitest';
import type { Attention } from '../../../shared/history/history.ts';
import { UpstreamId } from '../../../shared/upstream.ts';
import { type AttentionStatus, composeAttention } from './home-attention.ts';

const STATUS: AttentionStatus = {
  startedAt: 1_000,
  upstream: {
    id: UpstreamId.parse('0123456789abcdef'),
    kind: 'service',
    name: 'Models',
    baseUrl: 'https://models.example.com',
    versionVendor: 'anthropic',
    caFile: null,
    proxyUrl: null,
    active: true,
    asksCacheReason: false,
  },
  key: { name: 'keychain', sentence: 'The key is in the keychain.' },
  keyRefusedAt: 2_000,
  reach: { state: 'unknown', sentence: 'Not contacted since.', at: null },
};

function failing(errorCode: string): Attention {
  const facts = { userAgent: null, failures: 3, of: 3, at: 1_500, filter: '', reason: null };
  const names = { clientName: 'Cline', others: [], uncounted: 0, shared: false };
  return { kind: 'client', id: `client ${errorCode}`, status: 401, errorCode, ...names, ...facts };
}

test('a client whose own key expired has an alarm beside that of the service key', () => {
  const expired = failing('expired_local_key');
  const refused = failing('invalid_api_key');
  const [key, ...rest] = composeAttention(STATUS, [expired, refused], 0);
  expect(key).toMatchObject({ kind: 'key', at: 2_000 });
  expect(rest).toEqual([expired]);
});

test('exchanges that are lost after another start are another alarm', () => {
  const [first] = composeAttention({ ...STATUS, keyRefusedAt: null }, [], 5);
  const [second] = composeAttention({ ...STATUS, startedAt: 9_000, keyRefusedAt: null }, [], 5);
  expect(first).toMatchObject({ kind: 'dropped', exchanges: 5 });
  expect(second?.id).not.toBe(first?.id);
});

test('a service that a test did not reach has an alarm before any request fails', () => {
  const reach = { state: 'unreachable', sentence: 'Nothing is listening.', at: 7_000 } as const;
  const status = { ...STATUS, keyRefusedAt: null, reach };
  const [alarm, ...others] = composeAttention(status, [], 0);
  expect(others).toEqual([]);
  expect(alarm).toMatchObject({
    kind: 'unreachable',
    serviceName: 'Models',
    sentence: 'Nothing is listening.',
    failures: 0,
    at: 7_000,
  });
  const known = {
    kind: 'unreachable',
    id: 'u',
    serviceName: 'Models',
    failures: 2,
    refused: 0,
    at: 1,
    filter: '',
  } as const;
  expect(composeAttention(status, [{ ...known, sentence: null }], 0)).toEqual([
    { ...known, sentence: 'Nothing is listening.' },
  ]);
});
