import { once } from 'node:events';
import { createConnection } from 'node:net';
import { expect, test } from 'vitest';
import {
  openSandboxClient,
  QUESTION,
  readJson,
  type SandboxClient,
} from '../../kit/sandbox/sandbox-client.ts';

const PATHS = {
  chat: '/v1/chat/completions',
  responses: '/v1/responses',
  messages: '/v1/messages',
} as const;
const PROTOCOLS = ['chat', 'responses', 'messages'] as const;

interface Asked {
  readonly scenario?: string;
  readonly stream?: boolean;
  readonly model?: string;
  readonly more?: object;
}

function ask(
  caller: SandboxClient,
  protocol: keyof typeof PATHS,
  { scenario = '', stream = false, model = 'ember-mini', more = {} }: Asked = {},
) {
  const text = `${scenario
    .split(' ')
    .filter((name) => name !== '')
    .map((name) => `[scenario ${name}]`)
    .join(' ')} How are you today?`;
  const turns = [{ role: 'user', content: text }];
  const content = {
    chat: { messages: turns, stream_options: { include_usage: true } },
    responses: { input: turns },
    messages: { messages: turns, max_tokens: 4_000 },
  }[protocol];
  return caller.post(`${PATHS[protocol]}?n=1`, { model, stream, ...content, ...more });
}

test.for(PROTOCOLS)(
  '%s: the books have the tokens of each answer, told or not',
  async (protocol) => {
    await using caller = await openSandboxClient();
    const lastEntry = () => caller.sandbox.books.at(-1);
    for (const model of ['ember-mini', 'cirrus/cirrus-thinking']) {
      for (const stream of [false, true]) {
        await (await ask(caller, protocol, { stream, model })).text();
        const entry = lastEntry();
        expect(entry).toMatchObject({ url: `${PATHS[protocol]}?n=1`, model, isReported: true });
        expect(entry?.usage?.output).toBeGreaterThan(10);
        expect(entry?.produced).toBe(entry?.usage?.output);
      }
    }
    for (const scenario of ['reasons-aloud=9', 'burst=40', 'random-chunks=7', 'gzip']) {
      await (await ask(caller, protocol, { scenario, stream: true })).text();
      expect(lastEntry()?.isReported).toBe(true);
      expect(lastEntry()?.produced).toBe(lastEntry()?.usage?.output);
    }
    await expect(
      ask(caller, protocol, { scenario: 'cut-stream=12', stream: true }).then((answer) =>
        answer.text(),
      ),
    ).rejects.toThrow();
    expect(lastEntry()?.isReported).toBe(false);
    expect(lastEntry()?.produced).toBeGreaterThan(0);
    expect(lastEntry()?.produced).toBeLessThan(lastEntry()?.usage?.output ?? 0);
    await expect(ask(caller, protocol, { scenario: 'lost-answer' })).rejects.toThrow();
    expect(lastEntry()).toMatchObject({ isReported: false, produced: lastEntry()?.usage?.output });
    expect(caller.sandbox.books).toHaveLength(caller.sandbox.charges);
  },
);

test('a tool call is in the books with its tokens, streamed and whole', async () => {
  await using caller = await openSandboxClient();
  for (const protocol of PROTOCOLS) {
    for (const stream of [false, true]) {
      const tool = { name: 'find', parameters: { type: 'object' }, input_schema: {} };
      const tools = [protocol === 'chat' ? { type: 'function', function: tool } : tool];
      const turns = [{ role: 'user', content: 'Use a tool.' }];
      const more = protocol === 'responses' ? { input: turns } : { messages: turns };
      await (await ask(caller, protocol, { stream, more: { ...more, tools } })).text();
      const entry = caller.sandbox.books.at(-1);
      expect(entry?.usage?.output).toBe(2);
      expect(entry?.produced).toBe(2);
    }
  }
});

test('a chat stream that was not asked for its usage is in the books as not told, and a refusal is not in them', async () => {
  await using caller = await openSandboxClient();
  await (await ask(caller, 'chat', { stream: true, more: { stream_options: null } })).text();
  const [entry] = caller.sandbox.books;
  expect(entry).toMatchObject({ isReported: false, produced: entry?.usage?.output });
  await (await ask(caller, 'chat', { scenario: 'error-500' })).text();
  await (await ask(caller, 'chat', { scenario: 'html' })).text();
  expect(caller.sandbox.books).toHaveLength(1);
});

test('parallel calls have an entry each, and what a caller that leaves did not wait for is not produced', async () => {
  await using caller = await openSandboxClient();
  await Promise.all(
    Array.from({ length: 40 }, async (_, n) => {
      await (await ask(caller, 'chat', { stream: true, scenario: `burst=${n + 1}` })).text();
    }),
  );
  const outputs = caller.sandbox.books.map(({ usage }) => usage?.output ?? 0);
  expect(outputs.toSorted((one, other) => one - other)).toEqual(
    Array.from({ length: 40 }, (_, n) => n + 1),
  );
  const { port } = new URL(caller.sandbox.url);
  const socket = createConnection(Number(port), '127.0.0.1');
  const body = JSON.stringify({
    model: 'ember-mini',
    stream: true,
    messages: [{ role: 'user', content: '[scenario burst=100000] Hi' }],
  });
  const arriving = caller.sandbox.nextRequest();
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${caller.sandbox.key}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  await once(socket, 'data');
  socket.destroy();
  await (
    await arriving
  ).closed;
  const left = caller.sandbox.books.at(-1);
  expect(left?.produced).toBeLessThan(100_000);
  expect(left?.isReported).toBe(false);
});

test('a cache counts the same in every protocol, and Messages says what it keeps for an hour', async () => {
  await using caller = await openSandboxClient();
  const usages = [];
  for (const protocol of PROTOCOLS) {
    const answer = await ask(caller, protocol, { scenario: 'caches-input=50' });
    usages.push((await readJson(answer))['usage']);
  }
  expect(usages[0]).toMatchObject({
    prompt_tokens: 9,
    prompt_tokens_details: { cached_tokens: 4, cache_write_tokens: 4 },
  });
  expect(usages[1]).toMatchObject({
    input_tokens: 9,
    input_tokens_details: { cached_tokens: 4, cache_write_tokens: 4 },
  });
  expect(usages[2]).toMatchObject({
    input_tokens: 1,
    cache_read_input_tokens: 4,
    cache_creation_input_tokens: 4,
    cache_creation: { ephemeral_5m_input_tokens: 2, ephemeral_1h_input_tokens: 2 },
  });
});

test.for(PROTOCOLS)('%s: random chunks change nothing but the pieces', async (protocol) => {
  await using caller = await openSandboxClient();
  const content = protocol === 'responses' ? 'input' : 'messages';
  const body = { model: 'ember-mini', max_tokens: 90, [content]: [QUESTION] };
  const read = async (scenario: string, stream: boolean) => {
    const headers = { 'x-sandbox-scenario': scenario };
    const text = await (await caller.post(PATHS[protocol], { ...body, stream }, headers)).text();
    const plain = text.replaceAll(/[0-9a-f]{32}|(?<="created(?:_at)?":)\d+/g, '0');
    return plain;
  };
  for (const stream of [false, true]) {
    const plain = await read('slow-first-byte=0', stream);
    for (const scenario of ['random-chunks=1', 'random-chunks=99'])
      expect(await read(scenario, stream)).toEqual(plain);
  }
});
