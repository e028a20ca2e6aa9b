import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TextProtocol } from '../../../shared/chat/chat.ts';
import { type Harness, startHarness } from '../../kit/gateway/harness.ts';
import { type ChatClient, createChatClient } from '../../kit/chat/chat-client.ts';

let harness: Harness;
let chatClient: ChatClient;
beforeAll(async () => {
  harness = await startHarness();
  chatClient = createChatClient(harness);
});
afterAll(() => harness[Symbol.asyncDispose]());

describe.each(TextProtocol.options)('over %s', (protocol) => {
  test('an answer is complete and has the figures of its exchange', async () => {
    const { text, answer } = await chatClient.askInNew('Hello there, word for word.', { protocol });
    expect(text).toBe('Hello there, word for word.');
    expect(answer).toMatchObject({
      state: 'done',
      protocol,
      plain: false,
      modelServed: 'sandbox/echo',
      problem: null,
      cost: null,
    });
    const record = await harness.recordOf(answer.exchangeId);
    expect(record).toMatchObject({
      clientName: 'Chat',
      route: protocol,
      userAgent: 'Gatehouse chat',
      streamed: true,
      repairs: [],
      endedBy: 'service',
      errorCode: null,
    });
    expect(answer.usage).toEqual(record.usage);
    expect(answer.usage?.source).toBe('reported');
    expect(answer.firstTokenMs).toBeGreaterThan(0);
    expect(answer.durationMs).toBeGreaterThanOrEqual(answer.firstTokenMs ?? Infinity);
  });
});
