import { expect, test } from 'vitest';
import { openSandbox } from '../../../sandbox/server.ts';
import { openSandboxClient, QUESTION } from '../../kit/sandbox/sandbox-client.ts';

test('a request is recorded as received: target, headers in order, body', async () => {
  await using caller = await openSandboxClient();
  const next = caller.sandbox.nextRequest();
  await fetch(`${caller.sandbox.url}//odd?x=%20`, { method: 'POST', body: 'hello' });
  const recorded = await next;
  expect([recorded.method, recorded.url]).toEqual(['POST', '//odd?x=%20']);
  expect(recorded.rawHeaders[0]?.toLowerCase()).toBe('host');
  expect((await recorded.body).toString()).toBe('hello');
  expect(await recorded.closed).toBe('finished');
  expect(caller.sandbox.requests).toEqual([recorded]);
});

test('the first MiB of a body is recorded', async () => {
  await using caller = await openSandboxClient();
  const next = caller.sandbox.nextRequest();
  const body = { model: 'ember-mini', messages: [QUESTION], padding: 'x'.repeat(3 * 2 ** 20) };
  expect((await caller.post('/v1/chat/completions', body)).status).toBe(200);
  expect((await (await next).body).length).toBe(2 ** 20);
});

test('a request whose caller disconnects during its body is recorded with the received part', async () => {
  await using caller = await openSandboxClient();
  const next = caller.sandbox.nextRequest();
  const leaving = new AbortController();
  const { key, url } = caller.sandbox;
  const body = new ReadableStream({
    start: (stream) => stream.enqueue(new TextEncoder().encode('{"model":')),
  });
  // Node's fetch requires `duplex` for a streamed body; a variable avoids the excess property check of the DOM types.
  const request = {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body,
    signal: leaving.signal,
    duplex: 'half',
  };
  const answer = fetch(`${url}/v1/chat/completions`, request);
  const recorded = await next;
  leaving.abort();
  await expect(answer).rejects.toThrow();
  expect(await recorded.closed).toBe('aborted');
  expect('{"model":').toContain((await recorded.body).toString());
});

test('a sandbox uses the given port and key, and rejects a taken port', async () => {
  await using first = await openSandbox({ key: 'sandbox-known' });
  expect(first.key).toBe('sandbox-known');
  const port = Number(new URL(first.url).port);
  await expect(openSandbox({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  await first.close();
  await using second = await openSandbox({ port });
  expect(second.url).toBe(first.url);
});

test('closing ends open streams and pending waits for a request', async () => {
  const caller = await openSandboxClient();
  const body = { model: 'sandbox/keep-open', messages: [QUESTION], stream: true };
  const answer = await caller.post('/v1/chat/completions', body);
  const next = expect(caller.sandbox.nextRequest()).rejects.toThrow('closed');
  await caller.sandbox.close();
  await next;
  await expect(answer.text()).rejects.toThrow();
});
