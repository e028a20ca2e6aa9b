import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TextProtocol } from '../../../shared/chat/chat.ts';
import { freePort } from '../../kit/net/free-port.ts';
import { type Harness, startHarness } from '../../kit/gateway/harness.ts';
import { type ChatClient, createChatClient } from '../../kit/chat/chat-client.ts';

let harness: Harness;
let chatClient: ChatClient;
beforeAll(async () => {
  harness = await startHarness();
  chatClient = createChatClient(harness);
});
afterAll(() => harness[Symbol.asyncDispose]());

const FOX = 'The quick brown fox jumps over the lazy dog, again and again and again.';

describe.each(TextProtocol.options)('over %s', (protocol) => {
  test.each([
    ['cut-stream=9', 'ended this response'],
    ['short-stream=9', 'ended this response'],
    ['unsaid-end', 'ended this response'],
    ['error-in-stream=9', 'It says: The model stopped working.'],
  ])(
    'the scenario %s keeps the received text, and reports that the service cut it off',
    async (scenario, words) => {
      const { text, answer } = await chatClient.askInNew(`${FOX} [scenario ${scenario}]`, {
        protocol,
      });
      expect(text).not.toBe('');
      expect(FOX.startsWith(text.trim())).toBe(true);
      expect(answer).toMatchObject({
        state: protocol === 'chat' && scenario === 'unsaid-end' ? 'done' : 'broken',
      });
      if (answer.state === 'done') return;
      expect(answer.problem).toMatchObject({ by: 'service', suspects: [] });
      expect(answer.problem?.sentence).toContain(words);
      const record = await harness.recordOf(answer.exchangeId);
      expect(record.errorCode).toBe(answer.problem?.code);
    },
  );

  test('the connection is closed when a complete answer never ends', async () => {
    const { text, answer } = await chatClient.askInNew('Bye. [scenario keep-open]', { protocol });
    expect([text, answer.state]).toEqual(['Bye.', 'done']);
    expect(await harness.recordOf(answer.exchangeId)).toMatchObject({ endedBy: 'service' });
  });

  test('an answer that is not streamed is read, and one with reasoning has both texts', async () => {
    const asked = 'Yes. [scenario ignores-stream] [scenario reasons-aloud=3]';
    const { text, reasoning, answer } = await chatClient.askInNew(asked, { protocol });
    expect([text, answer.state, answer.tokensPerSecond]).toEqual(['Yes.', 'done', null]);
    expect(reasoning).not.toBe('');
    const streamed = await chatClient.askInNew('Yes. [scenario reasons-aloud=3]', { protocol });
    expect(streamed).toMatchObject({ text: 'Yes.', reasoning });
    expect(streamed.answer.usage?.reasoning).toBeTypeOf('number');
  });

  test('a cost reported by the service is stored with the name of its field', async () => {
    const { answer } = await chatClient.askInNew('Yes. [scenario tells-usage-cost]', { protocol });
    expect(answer.cost).toEqual({ amount: expect.any(Number), field: 'usage.cost' });
  });
});

test.each([
  ['html', { by: 'service', status: 200 }, 'a web page'],
  ['forbidden', { by: 'service', status: 403 }, 'no permission for this model'],
  ['error-500', { by: 'service', status: 500 }, 'Retry in a moment'],
  ['lost-answer', { by: 'network', status: 502 }, 'may be charged'],
])('the scenario %s leaves only its reason', async (scenario, problem, words) => {
  const { text, answer } = await chatClient.askInNew(`Hello [scenario ${scenario}]`);
  expect([text, answer.state]).toEqual(['', 'refused']);
  expect(answer.problem).toMatchObject(problem);
  expect(answer.problem?.sentence).toContain(words);
  expect(answer.exchangeId).not.toBeNull();
});

test('a missing model is distinguished from a wrong path', async () => {
  const { answer } = await chatClient.askInNew('Hello', { model: 'no/such-model-at-all' });
  expect(answer).toMatchObject({ state: 'refused', problem: { code: 'model_not_found' } });
});

test('a repeated service key reaches neither the page nor the database', async () => {
  const { answer } = await chatClient.askInNew('Hello [scenario bad-key-echo]');
  expect(answer).toMatchObject({
    problem: { by: 'service', status: 401, code: 'invalid_api_key' },
  });
  expect(answer.problem?.sentence).toContain('Incorrect API key provided');
  expect(JSON.stringify(answer)).not.toContain(harness.sandbox.key);
});

describe('A rejected parameter', () => {
  test.each(TextProtocol.options)(
    'is suspected, and left out of a retry, over %s',
    async (protocol) => {
      const asked = 'Hello [scenario rejects-tuning]';
      const settings = { temperature: 0.3, maxTokens: 50, system: 'Be brief.' };
      const refused = await chatClient.askInNew(asked, { protocol }, settings);
      expect(refused.answer).toMatchObject({ state: 'refused', plain: false });
      expect(refused.answer.problem?.suspects[0]).toBe('temperature');
      const chat = await harness.gateway.chat();
      const { conversation: id, id: message } = refused;
      const { id: plain } = await chat.retry({ id, message, plain: true });
      const { answer, text, siblings, parent } = await chatClient.waitUntilDone(plain);
      expect(answer).toMatchObject({ state: 'done', plain: true, protocol, problem: null });
      expect(text).toContain('Hello');
      expect([siblings, parent]).toEqual([[message, plain], refused.parent]);
      const sent: unknown = JSON.parse(String(await harness.sandbox.requests.at(-1)?.body));
      const fields = protocol === 'messages' ? ['model', 'max_tokens'] : ['model'];
      expect(Object.keys(sent ?? {})).toEqual([
        ...fields,
        protocol === 'responses' ? 'input' : 'messages',
      ]);
      expect((await chat.conversations.get(id)).lanes[0]?.at).toBe(plain);
    },
  );
});

test('Gatehouse itself reports why it did not send a request', async () => {
  harness.gateway.pause();
  const { answer } = await chatClient.askInNew('Hello');
  harness.gateway.resume();
  expect(answer).toMatchObject({
    state: 'refused',
    problem: { by: 'gatehouse', status: 503, code: 'paused' },
  });
  expect(answer.problem?.sentence).toContain('Resume it');
});

test('a service without a key, and an unreachable one, are reported', async () => {
  await using keyless = await startHarness({ serviceKey: null });
  const { answer } = await createChatClient(keyless).askInNew('Hello');
  expect(answer.problem).toMatchObject({ by: 'gatehouse', code: 'service_key_missing' });
  const baseUrl = `http://127.0.0.1:${await freePort()}`;
  await using alone = await startHarness({ baseUrl });
  const unreached = await createChatClient(alone).askInNew('Hello');
  expect(unreached.answer.problem).toMatchObject({ by: 'network', code: 'upstream_unreachable' });
});
