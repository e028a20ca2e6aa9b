import { fork } from 'node:child_process';
import { once } from 'node:events';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { assert, expect, test } from 'vitest';
import { z } from 'zod';
import { MessageId } from '../../../shared/chat/chat.ts';
import { openSandbox } from '../../../sandbox/server.ts';
import { startHarness } from '../../kit/gateway/harness.ts';
import { createEngineSetup } from '../../kit/videos/engine-setup.ts';
import { createChatClient, lane } from '../../kit/chat/chat-client.ts';

const WORDS = Array.from({ length: 5000 }, (_, index) => `word${index}`).join(' ');
const ENDED = { by: 'gatehouse', sentence: expect.stringContaining('Gatehouse stopped during') };

test('quitting waits for an answer that is nearly complete, and nothing new starts', async () => {
  await using harness = await startHarness();
  const chat = await harness.gateway.chat();
  const chatClient = createChatClient(harness);
  const id = await chatClient.begin([lane()]);
  const other = await chatClient.begin([lane()]);
  const arrived = harness.sandbox.nextRequest();
  const [message] = await chatClient.send(id, 'Nearly there [scenario gate=1]');
  assert(message !== undefined);
  await arrived;
  const closing = harness.gateway.close(20_000);
  await expect(chatClient.send(other, 'Hello')).rejects.toThrow('quitting');
  harness.sandbox.openGate(1);
  await closing;
  const [kept] = await chat.conversations.messages([message.id]);
  expect(kept).toMatchObject({ text: 'Nearly there', answer: { state: 'done', problem: null } });
  expect(kept?.answer?.usage?.source).toBe('reported');
});

test('quitting stops a long answer, whose message then names the reason', async () => {
  await using harness = await startHarness();
  const chat = await harness.gateway.chat();
  const chatClient = createChatClient(harness);
  const begin = async (text: string) => {
    const [message] = await chatClient.send(await chatClient.begin([lane()]), text);
    assert(message !== undefined);
    return message;
  };
  const silent = await begin('Hello [scenario slow-first-byte=60000]');
  const long = await begin(`${WORDS} [scenario slow-stream=50]`);
  await chatClient.waitForText(long);
  await harness.gateway.close(0);
  const kept = await chat.conversations.messages([silent.id, long.id]);
  expect(kept[0]).toMatchObject({ text: '', answer: { state: 'refused', problem: ENDED } });
  expect(kept[1]).toMatchObject({ answer: { state: 'broken', problem: ENDED } });
  expect(kept[1]?.text).not.toBe('');
});

test('after a crash the next start keeps the incomplete answer, marks it, and can retry it', async () => {
  const Report = z.object({ dataDir: z.string(), message: MessageId });
  const child = fork(join(import.meta.dirname, 'crash-process.ts'), {
    execPath: process.execPath,
    execArgv: [],
  });
  const messages: unknown[] = await once(child, 'message');
  const { dataDir, message } = Report.parse(messages[0]);
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
  await using sandbox = await openSandbox();
  await using setup = await createEngineSetup(sandbox);
  await cp(dataDir, setup.dataDir, { recursive: true });
  await rm(dataDir, { recursive: true });
  await using engine = await setup.start();
  const chatClient = createChatClient(engine);
  const { answer, text, conversation: id } = await chatClient.load(message);
  expect(answer).toMatchObject({ state: 'broken', problem: ENDED });
  expect(WORDS.startsWith(text.trim())).toBe(true);
  expect((await engine.gateway.chat()).isRunning(id)).toBe(false);
  const retried = await (await engine.gateway.chat()).retry({ id, message, plain: false });
  await chatClient.waitForText(retried);
  await (await engine.gateway.chat()).stop(retried.id);
  expect((await chatClient.load(retried.id)).siblings).toEqual([message, retried.id]);
});
