import { expect, test } from 'vitest';
import type { LiveEvent } from '../../../shared/status.ts';
import { freePort } from '../../kit/net/free-port.ts';
import { startHarness } from '../../kit/gateway/harness.ts';
import { sendRequest, beginRequest, question } from '../../kit/gateway/request.ts';
import { startScriptedHarness } from '../../kit/gateway/scripted-harness.ts';
import { chunk, LAST_CHUNK, STREAM_HEAD } from '../../kit/net/scripted-upstream.ts';

type Running = Extract<LiveEvent, { kind: 'running' }>;

test('an exchange on its way is told from stage to stage, and that it ended', async () => {
  await using both = await startScriptedHarness();
  const { harness, upstream } = both;
  const seen: Running[] = [];
  harness.gateway.on((event) => event.kind === 'running' && seen.push(event));
  const client = await beginRequest(harness, question('chat', { stream: true, model: 'm' }));
  const { connection } = await upstream.next();
  const latest = () => seen.at(-1)?.exchanges[0];
  await expect.poll(latest).toMatchObject({
    stage: 'waiting',
    route: 'chat',
    clientName: 'Test',
    modelSent: 'm',
    streamed: true,
    status: null,
  });
  connection.send(STREAM_HEAD);
  await expect.poll(latest).toMatchObject({ stage: 'answering', status: 200 });
  expect(harness.gateway.runningExchanges()).toMatchObject({ total: 1 });
  connection.send(chunk('data: [DONE]\n\n'));
  connection.send(LAST_CHUNK);
  await client.rest();
  await expect.poll(() => seen.at(-1)).toEqual({ kind: 'running', exchanges: [], total: 0 });
});

test('an exchange on its way names its run, unless another agent of the run sent it', async () => {
  await using both = await startScriptedHarness();
  const { harness, upstream } = both;
  const begin = async (agent: string | null) => {
    const named = agent === null ? [] : [`x-claude-code-agent-id: ${agent}`];
    const headers = ['x-claude-code-session-id: session-1', ...named];
    const client = await beginRequest(harness, question('messages', { headers }));
    const { connection } = await upstream.next();
    return { client, connection };
  };
  const listRuns = () => harness.gateway.runningExchanges().exchanges.map(({ ownRun }) => ownRun);
  const { client, connection } = await begin(null);
  const [run] = listRuns();
  expect(run).toEqual(expect.any(String));
  await begin('agent-1');
  expect(listRuns()).toEqual([null, run]);
  connection.send(STREAM_HEAD);
  connection.send(LAST_CHUNK);
  await client.rest();
  const [record] = await harness.recorded(1);
  expect(record?.run).toBe(run);
});

test('a window that is opened during an exchange sees its later stages', async () => {
  await using both = await startScriptedHarness();
  const { harness, upstream } = both;
  await beginRequest(harness, question('chat', { stream: true, model: 'm' }));
  const { connection } = await upstream.next();
  const seen: Running[] = [];
  harness.gateway.on((event) => event.kind === 'running' && seen.push(event));
  // A listener that waits for a change must not be told what it can read.
  expect(seen).toEqual([]);
  connection.send(STREAM_HEAD);
  await expect
    .poll(() => seen.at(-1)?.exchanges[0])
    .toMatchObject({ stage: 'answering', status: 200 });
});

test('an exchange that begins right after another was written is seen while it runs', async () => {
  await using both = await startScriptedHarness();
  const { harness, upstream } = both;
  const events: LiveEvent[] = [];
  const written = Promise.withResolvers<void>();
  harness.gateway.on((event) => {
    events.push(event);
    if (event.kind === 'history') written.resolve();
  });
  const first = await beginRequest(harness, question('chat', { stream: true, model: 'm' }));
  const { connection } = await upstream.next();
  connection.send(STREAM_HEAD);
  connection.send(chunk('data: [DONE]\n\n'));
  connection.send(LAST_CHUNK);
  await first.rest();
  await written.promise;
  await beginRequest(harness, question('chat', { stream: true, model: 'm' }));
  await upstream.next();
  const latest = () => events.findLast(({ kind }) => kind === 'running');
  await expect.poll(latest).toMatchObject({ total: 1 });
});

test('an erased history is told, so that other windows do not show what is gone', async () => {
  await using harness = await startHarness();
  await sendRequest(harness, question('chat'));
  await harness.recorded(1);
  const written: number[] = [];
  harness.gateway.on((event) => event.kind === 'history' && written.push(event.written));
  await harness.gateway.history.erase();
  await expect.poll(() => written).toEqual([0]);
});

test('who stops listening hears nothing more', async () => {
  await using harness = await startHarness();
  const events: LiveEvent[] = [];
  const stop = harness.gateway.on((event) => events.push(event));
  stop();
  await sendRequest(harness, question('chat'));
  await harness.recorded(1);
  await harness.gateway.changeSettings({ port: await freePort() });
  expect(events).toEqual([]);
});
