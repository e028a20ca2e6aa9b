import { rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { getGlobalDispatcher, ProxyAgent, setGlobalDispatcher } from 'undici';
import { afterAll, assert, beforeAll, describe, expect, test } from 'vitest';
import { type ChatEvent, type ChatMessage, TextProtocol } from '../../../shared/chat/chat.ts';
import { freePort } from '../../kit/net/free-port.ts';
import { sendRequest, question } from '../../kit/gateway/request.ts';
import { type Harness, startHarness } from '../../kit/gateway/harness.ts';
import { readFolder, findLeaks } from '../../kit/secret-leak.ts';
import { chunk, LAST_CHUNK, STREAM_HEAD } from '../../kit/net/scripted-upstream.ts';
import { startScriptedHarness } from '../../kit/gateway/scripted-harness.ts';
import { type ChatClient, createChatClient, isEnded, lane } from '../../kit/chat/chat-client.ts';

let harness: Harness;
let chatClient: ChatClient;
beforeAll(async () => {
  harness = await startHarness();
  chatClient = createChatClient(harness);
});
afterAll(() => harness[Symbol.asyncDispose]());

const WORDS = Array.from({ length: 400 }, (_, index) => `word${index}`).join(' ');
/** An answer that arrives slowly. */
const SLOW = `${WORDS} [scenario slow-stream=200]`;

describe('Stopping', () => {
  test('keeps the received text, and the history records that the client left', async () => {
    const id = await chatClient.begin([lane()]);
    const [message] = await chatClient.send(id, SLOW);
    assert(message !== undefined);
    expect(message.answer?.state).toBe('waiting');
    const first = await chatClient.waitForText(message);
    expect([first.answer.state, (await harness.gateway.chat()).isRunning(id)]).toEqual([
      'streaming',
      true,
    ]);
    await (await harness.gateway.chat()).stop(message.id);
    const { text, answer } = await chatClient.load(message.id);
    expect(answer).toMatchObject({ state: 'stopped', problem: null, tokensPerSecond: null });
    expect(text).not.toBe('');
    expect(WORDS.startsWith(text.trim())).toBe(true);
    expect(await harness.recordOf(answer.exchangeId)).toMatchObject({ endedBy: 'client' });
    expect((await harness.gateway.chat()).isRunning(id)).toBe(false);
    await (await harness.gateway.chat()).stop(message.id);
  });

  test('works before any text came, and the message can be sent again', async () => {
    const id = await chatClient.begin([lane()]);
    const [message] = await chatClient.send(id, 'Hello [scenario slow-first-byte=60000]');
    assert(message !== undefined);
    await (await harness.gateway.chat()).stop(message.id);
    expect((await chatClient.load(message.id)).answer.state).toBe('stopped');
    const { text } = await chatClient.ask(id, 'Hello again');
    expect(text).toBe('Hello again');
  });
});

describe('A lane', () => {
  test('has one answer in progress, even if two are requested at once', async () => {
    const id = await chatClient.begin([lane()]);
    const both = await Promise.allSettled([chatClient.send(id, SLOW), chatClient.send(id, SLOW)]);
    expect(both.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    const { lanes } = await (await harness.gateway.chat()).conversations.get(id);
    const message = lanes[0]?.at;
    assert(message !== undefined && message !== null);
    const again = (await harness.gateway.chat()).retry({ id, message, plain: false });
    await expect(again).rejects.toThrow('sandbox/echo is still answering. Stop it first');
    await (await harness.gateway.chat()).stop(message);
  });

  test('has one answer in progress, even if it shows another version meanwhile', async () => {
    const chat = await harness.gateway.chat();
    const id = await chatClient.begin([lane()]);
    const [first] = await chatClient.send(id, SLOW);
    assert(first !== undefined);
    await chat.stop(first.id);
    const retry = { id, message: first.id, plain: false };
    const atOnce = await Promise.allSettled([1, 2, 3].map(() => chat.retry(retry)));
    expect(atOnce.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected']);
    const [running] = await chat.conversations
      .open(id)
      .then(({ paths }) => paths[0]?.slice(-1) ?? []);
    assert(running !== undefined);
    const calls = harness.sandbox.requests.length;
    await chat.conversations.selectBranch(id, 0, first.id);
    const later = await Promise.allSettled([
      chat.retry(retry),
      chat.retry({ ...retry, model: 'aurora/aurora-small' }),
      chatClient.send(id, 'Beside it'),
      chatClient.send(id, 'Other words', first.parent === null ? [] : [first.parent]),
    ]);
    for (const outcome of later) {
      expect(outcome).toMatchObject({
        status: 'rejected',
        reason: { message: expect.stringContaining('still answering in another version') },
      });
    }
    expect((await chat.conversations.messages([first.id]))[0]?.siblings).toHaveLength(2);
    await chat.stop(running.id);
    expect(harness.sandbox.requests.length - calls).toBeLessThanOrEqual(1);
    const again = await chat.retry(retry);
    await chat.stop(again.id);
  });

  test('that is removed from the conversation loses its answer, and the other lanes are not affected', async () => {
    const chat = await harness.gateway.chat();
    const id = await chatClient.begin([lane(), lane('messages')]);
    const [slow, other] = await chatClient.send(id, SLOW);
    assert(slow !== undefined && other !== undefined);
    await chat.stop(other.id);
    await chat.change(id, { lanes: [{ ...lane('messages'), from: 1 }] });
    const [next] = await chatClient.send(id, 'Hello');
    assert(next !== undefined);
    expect((await chatClient.waitForText(next)).answer.state).toBe('streaming');
    await Promise.all([chat.stop(next.id), chat.stop(slow.id)]);
  });

  test('sends one request when a call arrives twice, even after its answer', async () => {
    const id = await chatClient.begin([lane()]);
    const call = { id, content: { text: 'Once', files: [] }, replaces: [], expectedHeads: [null] };
    const [message] = await (await harness.gateway.chat()).send(call);
    assert(message !== undefined);
    await chatClient.waitUntilDone(message.id);
    const charges = harness.sandbox.charges;
    await expect((await harness.gateway.chat()).send(call)).rejects.toThrow('was changed here');
    expect(harness.sandbox.charges).toBe(charges);
    await (await harness.gateway.chat()).send({ ...call, expectedHeads: [message.id] });
    expect((await (await harness.gateway.chat()).conversations.open(id)).paths[0]).toHaveLength(4);
  });

  test('sends the earlier messages, and no reasoning', async () => {
    const id = await chatClient.begin([lane()], { system: 'Be brief.' });
    await chatClient.ask(id, 'One [scenario reasons-aloud]');
    await chatClient.ask(id, 'Two');
    const body: unknown = JSON.parse(String(await harness.sandbox.requests.at(-1)?.body));
    expect(body).toMatchObject({
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'One [scenario reasons-aloud]' },
        { role: 'assistant', content: 'One' },
        { role: 'user', content: 'Two' },
      ],
    });
    const { exchanges } = await harness.gateway.history.page({ filter: { text: id }, limit: 5 });
    expect(exchanges).toHaveLength(2);
  });

  test('sends images in every protocol to models that accept them', async () => {
    const { images } = (await harness.gateway.chat()).conversations;
    const png = Buffer.from(PNG, 'base64');
    const upload = await images.begin({ name: 'dot.png', bytes: png.length });
    await images.append(upload, png);
    const image = await images.finish(upload);
    const files = [{ kind: 'image' as const, ...image }];
    const lanes = TextProtocol.options.map((protocol) => lane(protocol, 'aurora/aurora-large'));
    const id = await chatClient.begin(lanes);
    const content = { text: 'What is it?', files };
    const answers = await (await harness.gateway.chat()).send({ id, content, replaces: [] });
    expect(answers).toHaveLength(3);
    for (const { id: message } of answers) {
      expect((await chatClient.waitUntilDone(message)).text).toContain(
        `1 image (image/png, ${png.length} bytes)`,
      );
    }
    const [first] = answers;
    assert(first !== undefined);
    const folder = join(harness.dataDir, 'chat', 'images');
    await truncate(join(folder, `${image.hash}.png`), 49 * 1024 * 1024);
    const large = await (
      await harness.gateway.chat()
    ).retry({ id, message: first.id, plain: false });
    expect((await chatClient.waitUntilDone(large.id)).answer).toMatchObject({
      state: 'refused',
      exchangeId: null,
      problem: {
        by: 'gatehouse',
        sentence: expect.stringMatching(/more than 64 MiB, .* image\. Nothing was sent\.$/u),
      },
    });
    await rm(folder, { recursive: true });
    const again = await (
      await harness.gateway.chat()
    ).retry({ id, message: large.id, plain: false });
    expect((await chatClient.waitUntilDone(again.id)).answer).toMatchObject({
      state: 'refused',
      exchangeId: null,
      problem: {
        by: 'gatehouse',
        sentence: 'The image dot.png no longer exists. Nothing was sent.',
      },
    });
  });
});

test('two models answer side by side, and an edit asks both again from that message', async () => {
  const chat = await harness.gateway.chat();
  const id = await chatClient.begin([lane('chat'), lane('messages', 'aurora/aurora-small')]);
  const [one, two] = await chatClient.send(id, 'Hello');
  assert(one !== undefined && two !== undefined);
  expect([one.parent, one.siblings]).toEqual([two.parent, two.siblings]);
  expect([
    (await chatClient.waitUntilDone(one.id)).text,
    (await chatClient.waitUntilDone(two.id)).answer.protocol,
  ]).toEqual(['Hello', 'messages']);
  const more = await chatClient.send(id, 'More');
  for (const { id: message } of more) await chatClient.waitUntilDone(message);
  assert(one.parent !== null);
  const edited = await chatClient.send(id, 'Good day', [one.parent]);
  expect(edited).toHaveLength(2);
  for (const { id: message } of edited) await chatClient.waitUntilDone(message);
  const { paths } = await chat.conversations.open(id);
  expect(paths.map((path) => path.length)).toEqual([2, 2]);
  const [parent] = await chat.conversations.messages([edited[0]?.parent ?? one.parent]);
  expect(parent).toMatchObject({
    text: 'Good day',
    parent: null,
    siblings: [one.parent, parent?.id],
  });
  await expect(chatClient.send(id, 'Elsewhere', [one.parent])).rejects.toThrow('no longer shown');
});

test('an alternative answer is added beside the first one, by another model if requested, and is shown in every lane that showed the first one', async () => {
  const chat = await harness.gateway.chat();
  const first = await chatClient.askInNew('Hello');
  const { conversation: id } = first;
  const twice = [0, 0].map((from) => ({ ...lane(), from }));
  await chat.conversations.change(id, { lanes: twice });
  const model = 'aurora/aurora-small';
  const asked = { id, message: first.id, model, protocol: 'responses' as const, plain: false };
  const { id: second } = await chat.retry(asked);
  const { answer, siblings } = await chatClient.waitUntilDone(second);
  expect(answer).toMatchObject({ model, protocol: 'responses', state: 'done' });
  expect(siblings).toEqual([first.id, second]);
  const { lanes } = await chat.conversations.get(id);
  expect(lanes.map(({ at }) => at)).toEqual([second, second]);
  assert(first.parent !== null);
  const wrong = chat.retry({ id, message: first.parent, plain: false });
  await expect(wrong).rejects.toThrow('Only an answer');
});

test('a proxy of the environment receives no request of a turn', async () => {
  const usual = getGlobalDispatcher();
  const elsewhere = new ProxyAgent(`http://127.0.0.1:${await freePort()}`);
  setGlobalDispatcher(elsewhere);
  try {
    expect(await chatClient.askInNew('Hello')).toMatchObject({
      text: 'Hello',
      answer: { state: 'done' },
    });
  } finally {
    setGlobalDispatcher(usual);
    await elsewhere.close();
  }
});

test('an answer that a full disk rejects is saved once there is space, and shown until then', async () => {
  const { db } = (await harness.repositories.openChatRepository()).store;
  const chat = await harness.gateway.chat();
  const other = await chatClient.begin([lane()]);
  const id = await chatClient.begin([lane()]);
  const [message] = await chatClient.send(id, `${'Much. '.repeat(5_000)}[scenario gate=9]`);
  assert(message !== undefined);
  await sql`pragma max_page_count = 1`.execute(db);
  harness.sandbox.openGate(9);
  const { text, answer } = await chatClient.waitUntilDone(message.id);
  expect([text.length, answer.state]).toEqual([29_999, 'done']);
  expect((await chatClient.load(message.id)).text).not.toBe(text);
  expect(chat.isRunning(id)).toBe(true);
  const more = chatClient.send(other, 'x'.repeat(200_000));
  await expect(more).rejects.toThrow(
    /refuses to write more of the database .*chat\.db,.* Free some space/u,
  );
  const kept = Promise.withResolvers<void>();
  using _ = { [Symbol.dispose]: chat.on(() => void (chat.isRunning(id) || kept.resolve())) };
  await sql`pragma max_page_count = 1073741823`.execute(db);
  await kept.promise;
  expect(await chatClient.load(message.id)).toMatchObject({ text, answer: { state: 'done' } });
});

test('a model is called with the protocol of its latest answer to any client', async () => {
  const { history } = harness.gateway;
  const chat = await harness.gateway.chat();
  const model = 'cirrus/cirrus-thinking';
  expect(await chat.findProtocol(model)).toBe('chat');
  await sendRequest(harness, question('messages', { model }));
  await sendRequest(
    harness,
    question('responses', { model, headers: ['x-sandbox-scenario: error-500'] }),
  );
  await history.flush();
  expect(await chat.findProtocol(model)).toBe('messages');
  const { answer } = await chatClient.askInNew('Hello', { model, protocol: null });
  expect(answer.protocol).toBe('messages');
});

describe('A listener', () => {
  test('receives the present text and every later chunk, even if it is late, and two receive equal texts', async () => {
    const id = await chatClient.begin([lane()]);
    const [message] = await chatClient.send(id, `${WORDS} [scenario slow-stream=1]`);
    assert(message !== undefined);
    const early = collectEvents(message);
    await chatClient.waitForText(message);
    const late = collectEvents(message);
    expect((await chatClient.waitUntilDone(message.id)).text).toBe(WORDS);
    for (const { pieces: text, kinds } of await Promise.all([early, late])) {
      expect(WORDS.startsWith(text)).toBe(true);
      expect(text.length).toBeGreaterThan(WORDS.length / 2);
      expect(kinds).toContain('delta');
    }
  });

  test('learns that an answer ended before it listened, and of every change', async () => {
    const chat = await harness.gateway.chat();
    const { conversation: id, id: message } = await chatClient.askInNew('Hello');
    const stopping = new AbortController();
    const events = chat.follow(id, stopping.signal);
    const next = async () => (await events.next()).value;
    expect(await next()).toMatchObject({
      kind: 'message',
      message: { id: message, text: 'Hello' },
    });
    await chat.conversations.change(id, { title: 'Greetings' });
    expect(await next()).toEqual({ kind: 'changed' });
    const last = next();
    stopping.abort();
    expect(await last).toBeUndefined();
  });
});

test('a service key split into two chunks is neither passed on nor stored', async () => {
  const serviceKey = 'sk-test-0123456789-abcdefghij';
  await using both = await startScriptedHarness({ serviceKey });
  const scripted = createChatClient(both.harness);
  const id = await scripted.begin([lane('chat', 'm')]);
  const [message] = await scripted.send(id, 'Hello');
  assert(message !== undefined);
  const { connection } = await both.upstream.next();
  const collected = collectEvents(message, both.harness);
  connection.send(STREAM_HEAD);
  connection.send(piece('The key is '));
  await scripted.waitForText(message);
  connection.send(piece(serviceKey.slice(0, 12)));
  connection.send(piece(`${serviceKey.slice(12)}, they say.`));
  const choices = [{ index: 0, delta: {}, finish_reason: serviceKey }];
  const finish = `data: ${JSON.stringify({ choices })}\n\n`;
  const half = finish.indexOf(serviceKey) + 5;
  connection.send(chunk(finish.slice(0, half)));
  await collectEvents(message, both.harness, 'they say.');
  connection.send(chunk(finish.slice(half)));
  connection.send(piece(' Really.'));
  const error = `data: ${JSON.stringify({ error: { message: `Bad ${serviceKey}`, code: 'x' } })}\n\n`;
  const cut = error.indexOf(serviceKey) + 5;
  connection.send(chunk(error.slice(0, cut)));
  await collectEvents(message, both.harness, 'Really.');
  connection.send(chunk(error.slice(cut)));
  connection.send(LAST_CHUNK);
  const { text, answer } = await scripted.waitUntilDone(message.id);
  expect(text).toBe('The key is <service key>, they say. Really.');
  expect(answer.finish).toBe('<service key>');
  expect(answer.problem?.sentence).toContain('Bad <service key>');
  const files = Buffer.concat([...(await readFolder(both.harness.dataDir)).values()]);
  expect(files.includes('they say.')).toBe(true);
  const chatKey = both.harness.repositories.clients.ownKey('chat');
  expect([serviceKey, chatKey].map((key) => findLeaks(key, files))).toEqual([[], []]);
  const reported = JSON.stringify(await collected);
  expect(reported).not.toContain(serviceKey.slice(0, 12));
  expect(reported).not.toContain(chatKey);
});

/** Builds a chunk of a chat stream. */
function piece(content: string): Buffer {
  return chunk(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`);
}

/** Collects the events of an answer until its end, or until its text contains these words, and the text before that. */
async function collectEvents(
  { id, conversation }: ChatMessage,
  { gateway }: Pick<Harness, 'gateway'> = harness,
  words: string | null = null,
) {
  const kinds: ChatEvent['kind'][] = [];
  const reported: string[] = [];
  let text = '';
  for await (const event of (await gateway.chat()).follow(conversation, undefined)) {
    kinds.push(event.kind);
    reported.push(JSON.stringify(event));
    if (isEnded(event, id)) break;
    if (event.kind === 'message') text = event.message.text;
    if (event.kind === 'delta') text += event.text;
    if (words !== null && text.includes(words)) break;
  }
  return { kinds, pieces: text, reported };
}

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
