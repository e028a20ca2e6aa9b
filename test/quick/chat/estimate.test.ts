import { afterAll, beforeAll, expect, test } from 'vitest';
import { CHAT_CLIENT_ID } from '../../../shared/client.ts';
import { NO_PRICES } from '../../../shared/money/price.ts';
import { type ChatClient, createChatClient, lane } from '../../kit/chat/chat-client.ts';
import { sendRequest } from '../../kit/gateway/request.ts';
import { type Harness, startHarness } from '../../kit/gateway/harness.ts';

let harness: Harness;
let chatClient: ChatClient;
beforeAll(async () => {
  harness = await startHarness();
  chatClient = createChatClient(harness);
  const prices = { ...NO_PRICES, input: 1_000_000, output: 2_000_000 };
  const price = { service: null, validFrom: 0, prices, tiers: [], origin: 'entered' };
  await harness.gateway.prices.add([
    { ...price, model: 'sandbox/echo' },
    { ...price, model: 'aurora/*', prices: { ...prices, image: 7 } },
  ]);
});
afterAll(() => harness[Symbol.asyncDispose]());

type Estimate = Parameters<Awaited<ReturnType<Harness['gateway']['chat']>>['estimate']>[0];

async function estimate(message: Partial<Estimate>): Promise<number | null> {
  const chat = await harness.gateway.chat();
  return await chat.estimate({
    id: null,
    models: [],
    bytes: 0,
    images: 0,
    maxTokens: null,
    ...message,
  });
}

test('the answers of all lanes of a new conversation are estimated, images included', async () => {
  // Four bytes for a token, and 500 tokens of an answer, before the first of a model.
  expect(await estimate({ models: ['sandbox/echo'], bytes: 400 })).toBe(100 + 2 * 500);
  expect(await estimate({ models: ['sandbox/echo', 'aurora/one'], bytes: 400 })).toBe(2_200);
  const image = 1_500 + 7;
  expect(await estimate({ models: ['aurora/one'], bytes: 400, images: 2 })).toBe(1_100 + 2 * image);
});

test('the limit of an answer and the alias of a model count', async () => {
  const asked = { models: ['sandbox/echo'], bytes: 400 };
  expect(await estimate({ ...asked, maxTokens: 50 })).toBe(200);
  const id = await chatClient.begin([lane()], { maxTokens: 50 });
  expect(await estimate({ id, bytes: 400 })).toBe(200);
  await harness.gateway.aliases.set({
    name: 'big',
    clientId: CHAT_CLIENT_ID,
    profile: null,
    model: 'sandbox/echo',
    effort: null,
  });
  expect(await estimate({ ...asked, models: ['big'] })).toBe(1_100);
  const asDefault = await harness.gateway.aliases.set({
    name: '*',
    clientId: CHAT_CLIENT_ID,
    profile: null,
    model: 'sandbox/echo',
    effort: null,
  });
  await sendRequest(harness, { method: 'GET', path: '/v1/models' });
  expect(await estimate({ ...asked, models: ['unknown'] })).toBe(1_100);
  await harness.gateway.aliases.remove(asDefault.id);
});

test('an alias of all clients counts for a request that is sent again, and not for the chat', async () => {
  const alias = await harness.gateway.aliases.set({
    name: 'aurora/one',
    clientId: null,
    profile: null,
    model: 'other/model',
    effort: null,
  });
  const size = { bytes: 400, images: 0, maxTokens: null };
  const models = ['aurora/one', 'sandbox/echo'];
  const unknown = { bytes: 200, images: 0, continues: false, input: null, output: null };
  const draft = { ...size, models, continues: false, first: unknown };
  expect(await harness.gateway.estimateReplay(draft)).toEqual([
    { model: 'aurora/one', sent: 'other/model', amount: null },
    { model: 'sandbox/echo', sent: 'sandbox/echo', amount: 1_100 },
  ]);
  expect(await estimate({ ...size, models: ['aurora/one'] })).toBe(1_100);
  await harness.gateway.aliases.remove(alias.id);
});

test('a request that is sent again has the tokens of the first one, for its length', async () => {
  const first = { bytes: 200, continues: false, input: 30, output: 70 };
  const estimateOf = async (bytes: number, maxTokens: number | null, images = 0, before = 0) => {
    const size = { images, bytes, maxTokens, continues: false };
    const draft = { models: ['sandbox/echo'], ...size, first: { ...first, images: before } };
    return (await harness.gateway.estimateReplay(draft))[0]?.amount;
  };
  expect(await estimateOf(200, null)).toBe(30 + 2 * 70);
  expect(await estimateOf(400, 1_000)).toBe(60 + 2 * 70);
  expect(await estimateOf(100, 10)).toBe(15 + 2 * 10);
  // An image has tokens that its request's length does not show.
  expect(await estimateOf(200, 10, 1, 1)).toBe(30 + 2 * 10);
  expect(await estimateOf(400, 10, 1)).toBe(100 + 1_500 + 2 * 10);
});

test('a request that continues a stored conversation has its tokens, and those of what was added', async () => {
  const first = { bytes: 200, images: 0, continues: true, input: 9_000, output: 70 };
  const estimateOf = async (bytes: number, change: object = {}) => {
    const size = { images: 0, bytes, maxTokens: null, continues: true };
    const draft = { models: ['sandbox/echo'], ...size, first, ...change };
    return (await harness.gateway.estimateReplay(draft))[0]?.amount;
  };
  const answer = 2 * 70;
  expect(await estimateOf(200)).toBe(9_000 + answer);
  expect(await estimateOf(400)).toBe(9_000 + 50 + answer);
  expect(await estimateOf(200, { images: 1 })).toBe(9_000 + 1_500 + answer);
  expect(await estimateOf(100)).toBe(9_000 - 25 + answer);
  // It has at least the tokens of its own length, and unchanged those of the first one.
  const small = { first: { ...first, input: 60 } };
  expect(await estimateOf(160, small)).toBe(60 - 10 + answer);
  expect(await estimateOf(100, { first: { ...first, input: 30 } })).toBe(25 + answer);
  expect(await estimateOf(200, { first: { ...first, input: 30 } })).toBe(30 + answer);
  // Without the stored conversation only its length is known, and with a new one it is at least what it was.
  expect(await estimateOf(400, { continues: false })).toBe(100 + answer);
  expect(await estimateOf(400, { first: { ...first, continues: false } })).toBe(9_050 + answer);
  expect(await estimateOf(400, { first: { ...first, input: null } })).toBe(100 + answer);
});

test('nothing is said when one of the models has no price', async () => {
  expect(await estimate({ models: ['sandbox/echo', 'other/model'], bytes: 400 })).toBeNull();
});

test('nothing is said of a conversation that was removed meanwhile', async () => {
  const id = await chatClient.begin([lane()]);
  await (await harness.gateway.chat()).remove(id);
  expect(await estimate({ id, bytes: 400 })).toBeNull();
});

test('all messages before are counted, in each lane those that it shows', async () => {
  const id = await chatClient.begin([lane()], { system: 'y'.repeat(4_000) });
  const first = await estimate({ id, bytes: 400 });
  expect(first).toBe(1_100 + 1_000);
  const { answer } = await chatClient.ask(id, 'x'.repeat(40_000));
  await harness.recordOf(answer.exchangeId);
  // The message and its echo are sent again.
  const [more, same] = [await estimate({ id, bytes: 400 }), await estimate({ id, bytes: 0 })];
  expect(more).toBeGreaterThan((same ?? 0) + 50);
  expect(same).toBeGreaterThan(10 * (first ?? 0));
});
