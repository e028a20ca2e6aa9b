import { afterAll, assert, beforeAll, expect, test } from 'vitest';
import { type Harness, startHarness } from '../../kit/gateway/harness.ts';
import { type ChatClient, createChatClient, lane } from '../../kit/chat/chat-client.ts';

let harness: Harness;
let chatClient: ChatClient;
beforeAll(async () => {
  harness = await startHarness();
  chatClient = createChatClient(harness);
});
afterAll(() => harness[Symbol.asyncDispose]());

/** An answer that takes a minute. */
const SLOW = `${'word '.repeat(3000)} [scenario slow-stream=20]`;

test('a listener of a conversation receives its removal, and nothing after it', async () => {
  const chat = await harness.gateway.chat();
  const { conversation: id } = await chatClient.askInNew('Hello');
  const events = chat.follow(id, undefined);
  expect((await events.next()).value).toMatchObject({ kind: 'message' });
  const next = events.next();
  await chat.remove(id);
  expect((await next).value).toEqual({ kind: 'removed' });
  expect(await events.next()).toMatchObject({ done: true });
  await expect(chat.follow(id, undefined).next()).rejects.toHaveProperty('name', 'NotFoundError');
  await expect(chat.remove(id)).rejects.toHaveProperty('name', 'NotFoundError');
});

test('a conversation removed during an answer is stopped and does not come back', async () => {
  const chat = await harness.gateway.chat();
  const id = await chatClient.begin([lane()]);
  const [message] = await chatClient.send(id, SLOW);
  assert(message !== undefined);
  const { exchangeId } = (await chatClient.waitForText(message)).answer;
  await chat.remove(id);
  expect(await chat.conversations.messages([message.id])).toEqual([]);
  expect(await harness.recordOf(exchangeId)).toMatchObject({ endedBy: 'client' });
  const [other] = await chatClient.send(await chatClient.begin([lane()]), SLOW);
  assert(other !== undefined);
  expect(await chat.erase()).toBe(1);
  expect(await chat.conversations.page({ find: '', limit: 5 })).toMatchObject({
    conversations: [],
  });
  expect(chat.isRunning(other.conversation)).toBe(false);
});
