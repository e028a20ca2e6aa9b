import assert from 'node:assert/strict';
import { describe, expect, test } from 'vitest';
import { ExchangeId } from '../../../shared/exchange/exchange.ts';
import { toExchangeRequest } from '../../../shared/request-code/exchange-request.ts';
import type { ReplayRequest, ReplayResponse } from '../../../shared/replay.ts';
import { type Harness, startHarness } from '../../kit/gateway/harness.ts';
import { PROTOCOLS, question, sendRequest } from '../../kit/gateway/request.ts';

/** Sends a request as a client, and returns the id of its exchange. */
async function sendFirst(
  harness: Harness,
  request: Parameters<typeof sendRequest>[1],
): Promise<ExchangeId> {
  const { headers } = await sendRequest(harness, request);
  return (await harness.recordOf(headers.get('x-gatehouse-exchange'))).id;
}

async function replay(
  { gateway }: Harness,
  id: ExchangeId,
  changes: Partial<ReplayRequest> = {},
  signal = new AbortController().signal,
) {
  let response: ReplayResponse | null = null;
  for await (const event of gateway.replay({ id, changed: {}, removed: [], ...changes }, signal)) {
    if (event.kind === 'ended') ({ response } = event);
  }
  if (response === null) throw new Error('There is no response.');
  return response;
}

async function readSent({ gateway }: Harness, id: ExchangeId | null): Promise<string | undefined> {
  return id === null ? undefined : (await gateway.readBodies(id)).sent?.text;
}

describe.each(PROTOCOLS)('a %s request', (protocol) => {
  test.each([true, false])('is sent again as it was (streamed: %s)', async (stream) => {
    await using harness = await startHarness();
    const asked = question(protocol, { stream });
    const id = await sendFirst(harness, asked);
    const again = await replay(harness, id, { changed: { model: 'aurora/aurora-small' } });
    expect(again).toMatchObject({
      status: 200,
      isCut: false,
      text: expect.stringContaining(stream ? 'data: ' : '"usage"'),
      exchange: { clientName: 'Replay', route: protocol, streamed: stream, attempts: 1 },
    });
    expect(await readSent(harness, again.id)).toBe(asked.body);
    expect(harness.sandbox.charges).toBe(2);
  });

  test('is sent with other fields', async () => {
    await using harness = await startHarness();
    const id = await sendFirst(harness, question(protocol, { stream: true }));
    const changed = { model: 'isle/isle-pro', temperature: 0.2 };
    const again = await replay(harness, id, { changed, removed: ['stream', 'stream_options'] });
    expect(again).toMatchObject({ status: 200, exchange: { modelSent: 'isle/isle-pro' } });
    const sent: unknown = JSON.parse((await readSent(harness, again.id)) ?? '');
    expect(sent).toMatchObject(changed);
    expect(sent).not.toHaveProperty('stream');
  });
});

test('headers that decide about the meaning go along, and keys do not', async () => {
  await using harness = await startHarness();
  const id = await sendFirst(harness, {
    path: '/v1/messages?beta=true',
    headers: [
      'content-type: application/json',
      'anthropic-version: 2023-06-01',
      'anthropic-beta: one-2025-01-01',
    ],
    body: question('messages').body ?? '',
  });
  const { exchange } = await replay(harness, id);
  expect(exchange?.pathSent).toBe('/v1/messages?beta=true');
  const request = harness.sandbox.requests.at(-1);
  expect(request?.rawHeaders.join('\n')).toContain('one-2025-01-01');
});

test('an error of the service is a response', async () => {
  await using harness = await startHarness();
  const id = await sendFirst(harness, question('chat'));
  const again = await replay(harness, id, { changed: { model: 'sandbox/bad-key-echo' } });
  expect(again).toMatchObject({ status: 401, exchange: { clientName: 'Replay' } });
  expect(again.text).not.toContain(harness.sandbox.key);
});

test('a response that breaks off is marked', async () => {
  await using harness = await startHarness();
  const id = await sendFirst(harness, question('chat', { stream: true }));
  const again = await replay(harness, id, { changed: { model: 'sandbox/cut-stream' } });
  expect(again).toMatchObject({ status: 200, isCut: true });
  expect(again.text).toContain('data: ');
});

test('a call that is ended ends the request, and nothing is sent again', async () => {
  await using harness = await startHarness();
  const id = await sendFirst(harness, question('chat', { stream: true }));
  const arrived = harness.sandbox.nextRequest();
  const stopping = new AbortController();
  const changed = { model: 'sandbox/silent-stream' };
  const again = replay(harness, id, { changed }, stopping.signal);
  const request = await arrived;
  stopping.abort();
  await expect(again).rejects.toThrow();
  expect(await request.closed).toBe('aborted');
  const [latest] = await harness.recorded(2);
  expect(latest).toMatchObject({ clientName: 'Replay', endedBy: 'client' });
  expect(harness.sandbox.charges).toBe(2);
});

test('a caller that stops listening ends the request', async () => {
  await using harness = await startHarness();
  const id = await sendFirst(harness, question('chat', { stream: true }));
  const arrived = harness.sandbox.nextRequest();
  const changed = { model: 'sandbox/silent-stream' };
  const { signal } = new AbortController();
  for await (const event of harness.gateway.replay({ id, changed, removed: [] }, signal)) {
    expect(event).toEqual({ kind: 'started', id: expect.stringMatching(/^ex-/u) });
    break;
  }
  expect(await (await arrived).closed).toBe('aborted');
});

const json = (body: string, path = '/v1/chat/completions') => ({
  path,
  headers: ['content-type: application/json'],
  body,
});

describe('a request that cannot be sent says why:', () => {
  test.each([
    [
      'with a masked key',
      (key: string) => question('chat', { text: `Is ${key} a key?` }),
      'masked secret',
    ],
    ['that is no JSON', () => json('{"model":'), 'It is not a JSON object.'],
    [
      'without its middle',
      () => question('chat', { text: 'x '.repeat(600_000) }),
      'The middle of the request is not kept.',
    ],
    ['for a video', () => json('{"model":"h3","prompt":"A fox"}', '/v1/videos'), 'Only a request'],
  ])('one %s', async (_name, toRequest, reason) => {
    await using harness = await startHarness();
    const id = await sendFirst(harness, toRequest(harness.localKey));
    const { length } = harness.sandbox.requests;
    await expect(replay(harness, id)).rejects.toThrow(`This request cannot be sent again. `);
    await expect(replay(harness, id)).rejects.toThrow(reason);
    expect(harness.sandbox.requests).toHaveLength(length);
  });

  test('one without a valid local key, whose body was not read', async () => {
    await using harness = await startHarness();
    const id = await sendFirst({ ...harness, localKey: 'gh-wrong' }, question('chat'));
    await expect(replay(harness, id)).rejects.toThrow(
      'The request was not stored, because it had no valid local key.',
    );
    const detail = await harness.gateway.history.get(id);
    assert(detail !== null);
    const none = { state: 'absent', received: null, sent: null, returned: null } as const;
    expect(toExchangeRequest(detail, none, harness.url)).toEqual({
      request: null,
      reason: 'The request was not stored, because it had no valid local key.',
    });
  });

  test('one whose bodies are not kept, or that is not there', async () => {
    await using harness = await startHarness();
    const id = await sendFirst(harness, question('chat'));
    await harness.gateway.bodies.erase();
    await expect(replay(harness, id)).rejects.toThrow('The request is not stored.');
    const none = ExchangeId.parse('ex-0000000000000000');
    await expect(replay(harness, none)).rejects.toHaveProperty('name', 'NotFoundError');
  });
});
