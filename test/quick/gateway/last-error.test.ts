import { expect, test } from 'vitest';
import { LastError } from '../../../gateway/engine/last-error.ts';
import { anExchange } from '../../kit/history/an-exchange.ts';
import { startHarness } from '../../kit/gateway/harness.ts';
import { sendRequest } from '../../kit/gateway/request.ts';

const SECRET = 'sk-a-secret';
const redact = (text: string) => text.replaceAll(SECRET, '<key>');

test.each([
  [{ status: 500, errorMessage: 'The model is broken.' }, 'The model is broken.'],
  [{ status: 404 }, 'The service answered with 404.'],
  [{ errorCode: 'overloaded_error' }, 'The service said “overloaded_error”.'],
  [{ status: null, endedBy: 'gateway' }, 'No response arrived.'],
  [{ status: 401, errorMessage: `Wrong key ${SECRET}.` }, 'Wrong key <key>.'],
])('%j is the latest failure', (fields, sentence) => {
  const errors = new LastError(redact);
  const failed = anExchange('ex-1', { startedAt: 1_000, durationMs: 99.6, ...fields });
  errors.record(failed);
  expect(errors.latest).toEqual({ sentence, at: 1_100, exchangeId: 'ex-1' });
  errors.record(anExchange('ex-2'));
  expect(errors.latest?.exchangeId).toBe('ex-1');
});

test('with its record it is forgotten', async () => {
  await using harness = await startHarness();
  const { gateway } = harness;
  await sendRequest(harness, { path: '/v1/models/none' });
  await harness.recorded(1);
  expect((await gateway.status()).lastError).not.toBeNull();
  const { promise: reported, resolve } = Promise.withResolvers<void>();
  gateway.on((event) => event.kind === 'changed' && event.topic === 'status' && resolve());
  await gateway.history.erase();
  await reported;
  expect((await gateway.status()).lastError).toBeNull();
});

test.each([
  [{}],
  [{ endedBy: 'client' }],
  [{ status: null, endedBy: 'client' }],
  [{ status: 503, errorCode: 'paused', endedBy: 'gateway' }],
  [{ status: 503, errorCode: 'shutting_down', endedBy: 'gateway' }],
])('%j is none', (fields) => {
  const errors = new LastError(redact);
  errors.record(anExchange('ex-1', fields));
  expect(errors.latest).toBeNull();
});
