import { expect, test } from 'vitest';
import {
  type SandboxClient,
  parseEvents,
  isObject,
  type JsonObject,
  openSandboxClient,
  readJson,
} from '../../kit/sandbox/sandbox-client.ts';

const PROTOCOLS = ['chat', 'responses', 'messages'] as const;
type Protocol = (typeof PROTOCOLS)[number];

const PATHS = {
  chat: '/v1/chat/completions',
  responses: '/v1/responses',
  messages: '/v1/messages',
} as const;

const SEES = 'aurora/aurora-large';
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** Creates a request of one protocol with this content from the user. */
function requestBody(protocol: Protocol, content: unknown, more: object = {}): object {
  const turns = [{ role: 'user', content }];
  const input = protocol === 'responses' ? { input: turns } : { messages: turns };
  const limit = protocol === 'messages' ? { max_tokens: 500 } : {};
  return { model: SEES, ...input, ...limit, ...more };
}

async function ask(caller: SandboxClient, protocol: Protocol, body: object): Promise<JsonObject> {
  return await readJson(await caller.post(PATHS[protocol], body));
}

async function stream(caller: SandboxClient, protocol: Protocol, body: object) {
  const answer = await caller.post(PATHS[protocol], { ...body, stream: true });
  return parseEvents(await answer.text());
}

/** Joins the strings at these paths: the text that a client reads from a stream or a complete answer. */
function joinStrings(values: readonly unknown[], ...paths: readonly string[]): string {
  return values
    .flatMap((value) => paths.map((path) => at(value, path.split('.'))))
    .filter((found) => typeof found === 'string')
    .join('');
}

function at(value: unknown, [step, ...rest]: readonly string[]): unknown {
  if (step === undefined) return value;
  if (Array.isArray(value)) return at(value[Number(step)], rest);
  return isObject(value) ? at(value[step], rest) : undefined;
}

const TEXT = {
  answer: {
    chat: 'choices.0.message.content',
    responses: 'output.0.content.0.text',
    messages: 'content.0.text',
  },
  streamed: { chat: 'choices.0.delta.content', responses: 'delta', messages: 'delta.text' },
} as const;

test.for(PROTOCOLS)('a stream of %s waits at its gate until it is opened', async (protocol) => {
  await using caller = await openSandboxClient();
  const streamed = requestBody(protocol, 'Hello [scenario gate=7]', { stream: true });
  const answers = await Promise.all([1, 2].map(() => caller.post(PATHS[protocol], streamed)));
  const texts = answers.map((answer) => answer.text());
  const first = Promise.race(texts.map((text) => text.then(() => 'the stream')));
  const others = ask(caller, protocol, requestBody(protocol, 'Hello [scenario open-gate=8]'));
  expect(await Promise.race([first, others.then(() => 'the other')])).toBe('the other');
  await ask(caller, protocol, requestBody(protocol, 'Hello [scenario open-gate=7]'));
  const terminal = { chat: '[DONE]', responses: 'response.completed', messages: 'message_stop' };
  for (const text of await Promise.all(texts)) expect(text).toContain(terminal[protocol]);
  expect(await stream(caller, protocol, streamed), 'it stays open').not.toEqual([]);
});

test.for(PROTOCOLS)(
  'echo repeats the text of %s verbatim, with and without streaming',
  async (protocol) => {
    await using caller = await openSandboxClient();
    const text = '# Title\n\n| a | b |\n|---|---|\n| `x`  | **y** |\n\n👋 end ';
    const model = 'sandbox/echo';
    const parts = [
      { type: protocol === 'responses' ? 'input_text' : 'text', text: '# Title\n' },
      {
        type: protocol === 'responses' ? 'input_text' : 'text',
        text: text.slice('# Title\n\n'.length),
      },
    ];
    for (const content of [text, parts]) {
      const body = requestBody(protocol, content, { model });
      expect(joinStrings([await ask(caller, protocol, body)], TEXT.answer[protocol])).toBe(text);
      expect(joinStrings(await stream(caller, protocol, body), TEXT.streamed[protocol])).toBe(text);
    }
  },
);

test.for(PROTOCOLS)(
  'scenarios in the last text of %s are applied, and not repeated',
  async (protocol) => {
    await using caller = await openSandboxClient();
    const content = '[scenario echo] Say this. [scenario reasons-aloud=3] [scenario odd-chunks=5]';
    const events = await stream(caller, protocol, requestBody(protocol, content));
    expect(joinStrings(events, TEXT.streamed[protocol])).toContain('Say this.');
    expect(JSON.stringify(events)).not.toContain('[scenario');
    const usual = await ask(
      caller,
      protocol,
      requestBody(protocol, 'Hi! [scenario tells-usage-cost]'),
    );
    expect(joinStrings([usual], TEXT.answer[protocol])).toContain('You said: “Hi!”');
    const refused = await caller.post(
      PATHS[protocol],
      requestBody(protocol, '[scenario nonsense] Hi'),
    );
    expect([refused.status, await refused.text()]).toEqual([
      400,
      expect.stringContaining('There is no scenario'),
    ]);
  },
);

test('only scenarios in the last text count; a header wins over them, and they win over the model', async () => {
  await using caller = await openSandboxClient();
  const post = (messages: object[], model: string, headers = {}) =>
    caller.post(PATHS.chat, { model, messages }, headers);
  const failing = { role: 'user', content: 'One [scenario error-500]' };
  const later = [
    failing,
    { role: 'assistant', content: 'Sorry' },
    { role: 'user', content: 'Two' },
  ];
  expect((await post([failing], SEES)).status).toBe(500);
  expect((await post(later, SEES)).status).toBe(200);
  expect((await post([failing], 'sandbox/forbidden')).status).toBe(500);
  expect((await post([failing], SEES, { 'x-sandbox-scenario': 'forbidden' })).status).toBe(403);
});

test('scenarios in the text are added to that of the model, and to each other', async () => {
  await using caller = await openSandboxClient();
  const content = 'One two three four five [scenario cut-stream=4] [scenario slow-stream=1]';
  const answer = await caller.post(
    PATHS.chat,
    requestBody('chat', content, { model: 'sandbox/echo', stream: true }),
  );
  let received = '';
  const cut = async () => {
    for await (const bytes of answer.body ?? []) received += Buffer.from(bytes).toString();
  };
  await expect(cut()).rejects.toThrow();
  expect(joinStrings(parseEvents(received), TEXT.streamed.chat)).toBe('One two');
});

const REASONING = {
  answer: {
    chat: ['choices.0.message.reasoning', 'choices.0.message.reasoning_content'],
    responses: ['output.0.summary.0.text'],
    messages: ['content.0.thinking'],
  },
  streamed: {
    chat: ['choices.0.delta.reasoning', 'choices.0.delta.reasoning_content'],
    responses: ['delta'],
    messages: ['delta.thinking'],
  },
} as const;
const AFTER_REASONING = {
  ...TEXT.answer,
  responses: 'output.1.content.0.text',
  messages: 'content.1.text',
};

test.for(PROTOCOLS)(
  'reasons-aloud sends reasoning before the text in %s, and counts it',
  async (protocol) => {
    await using caller = await openSandboxClient();
    for (const chunks of [1, 4, 5]) {
      const body = requestBody(protocol, `Hi [scenario echo] [scenario reasons-aloud=${chunks}]`);
      const answer = await ask(caller, protocol, body);
      const thought = joinStrings([answer], ...REASONING.answer[protocol]);
      expect(thought).toMatch(/^The/);
      expect(joinStrings([answer], AFTER_REASONING[protocol])).toBe('Hi');
      expect(JSON.stringify(answer)).toMatch(
        new RegExp(`"(?:reasoning|thinking)_tokens":${chunks}\\b`),
      );
      const events = await stream(caller, protocol, body);
      const streamed = events.filter(
        ({ type }) => !String(type).startsWith('response.output_text'),
      );
      expect(joinStrings(streamed, ...REASONING.streamed[protocol])).toBe(thought);
      const [first] = events.filter(
        (event) => joinStrings([event], ...REASONING.streamed[protocol]) !== '',
      );
      expect(joinStrings(first ? [first] : [], ...REASONING.streamed[protocol])).toBe('The');
    }
  },
);

test('reasoning in Chat Completions has either of its two names', async () => {
  await using caller = await openSandboxClient();
  const names = [2, 3].map(async (chunks) => {
    const answer = await ask(
      caller,
      'chat',
      requestBody('chat', `[scenario reasons-aloud=${chunks}]`),
    );
    return Object.keys(Object(at(answer, ['choices', '0', 'message']))).at(-1);
  });
  expect(await Promise.all(names)).toEqual(['reasoning_content', 'reasoning']);
});

test.for(PROTOCOLS)(
  'whole-think, tells-usage-cost and ignores-stream take effect in %s',
  async (protocol) => {
    await using caller = await openSandboxClient();
    const words =
      '[scenario whole-think] [scenario tells-usage-cost] [scenario ignores-stream] [scenario echo]';
    const answer = await ask(
      caller,
      protocol,
      requestBody(protocol, `Hi ${words}`, { stream: true }),
    );
    expect(joinStrings([answer], TEXT.answer[protocol])).toMatch(/^<think>\n.+\n<\/think>\n\nHi$/);
    expect(at(answer, ['usage', 'cost'])).toBeGreaterThan(0);
    const streamed = await stream(
      caller,
      protocol,
      requestBody(protocol, 'Hi [scenario tells-usage-cost]', {
        ...(protocol === 'chat' && { stream_options: { include_usage: true } }),
      }),
    );
    expect(streamed.some((event) => JSON.stringify(event).includes('"cost":0.'))).toBe(true);
    const plain = await ask(caller, protocol, requestBody(protocol, 'Hi'));
    expect(plain['usage']).not.toHaveProperty('cost');
  },
);

const LIMITS = {
  chat: ['max_tokens', 'max_completion_tokens'],
  responses: ['max_output_tokens'],
  messages: [],
} as const;

test.for(PROTOCOLS)(
  'rejects-tuning refuses temperature and limits of %s, with and without the field name',
  async (protocol) => {
    await using caller = await openSandboxClient();
    const refusalOf = async (more: object, scenario: string) => {
      const body = requestBody(protocol, `Hi [scenario ${scenario}]`, more);
      const answer = await caller.post(PATHS[protocol], body);
      return [answer.status, at(await readJson(answer), ['error', 'message'])];
    };
    for (const field of ['temperature', ...LIMITS[protocol]]) {
      expect(await refusalOf({ [field]: 1 }, 'rejects-tuning')).toEqual([
        400,
        expect.stringContaining(`"${field}"`),
      ]);
      expect(await refusalOf({ [field]: 1 }, 'rejects-tuning-silently')).toEqual([
        400,
        expect.not.stringContaining(field),
      ]);
    }
    expect((await refusalOf({}, 'rejects-tuning'))[0]).toBe(200);
  },
);

/** Creates an image part of this protocol. */
function image(protocol: Protocol, type = 'image/png', base64 = PNG.toString('base64')): object {
  const address = `data:${type};base64,${base64}`;
  return {
    chat: { type: 'image_url', image_url: { url: address } },
    responses: { type: 'input_image', image_url: address },
    messages: { type: 'image', source: { type: 'base64', media_type: type, data: base64 } },
  }[protocol];
}

test.for(PROTOCOLS)('an image in %s is described by a model with vision', async (protocol) => {
  await using caller = await openSandboxClient();
  const text = { type: protocol === 'responses' ? 'input_text' : 'text', text: 'What is it?' };
  const one = await ask(caller, protocol, requestBody(protocol, [image(protocol), text]));
  const words = joinStrings([one], TEXT.answer[protocol]);
  expect(words).toContain(`“What is it?”. It sees 1 image (image/png, ${PNG.length} bytes).`);
  const jpeg = image(
    protocol,
    'image/jpeg',
    Buffer.from([0xff, 0xd8, 0xff, 0xe0]).toString('base64'),
  );
  const two = await ask(caller, protocol, requestBody(protocol, [image(protocol), jpeg, text]));
  expect(joinStrings([two], TEXT.answer[protocol])).toContain(
    `${PNG.length} bytes; image/jpeg, 4 bytes)`,
  );
});

test.for(PROTOCOLS)('a wrong image in %s is refused with 400', async (protocol) => {
  await using caller = await openSandboxClient();
  const other = protocol === 'chat' ? 'messages' : 'chat';
  const wrong = [
    requestBody(protocol, [image(protocol)], { model: 'ember-mini' }),
    requestBody(protocol, [image(other)]),
    requestBody(protocol, [image(protocol, 'image/svg+xml')]),
    requestBody(protocol, [image(protocol, 'image/jpeg')]),
    requestBody(protocol, [
      image(protocol, 'image/png', `${PNG.toString('base64').slice(0, -4)}?===`),
    ]),
    requestBody(protocol, [image(protocol, 'image/png', '')]),
    requestBody(protocol, [
      { type: 'image_url', image_url: { url: 'https://example.com/cat.png' } },
    ]),
    requestBody(protocol, [
      { type: 'image', source: { type: 'url', url: 'https://example.com/cat.png' } },
    ]),
  ];
  const answers = await Promise.all(wrong.map((body) => caller.post(PATHS[protocol], body)));
  expect(answers.map(({ status }) => status)).toEqual(wrong.map(() => 400));
  expect(caller.sandbox.charges).toBe(0);
});

test('the question is found between the reminders and instructions that Claude Code adds', async () => {
  await using caller = await openSandboxClient();
  const reminder = '<system-reminder>\nIt is Thursday.\n</system-reminder>\n\n';
  const messages = [
    {
      role: 'user',
      content: [
        { type: 'text', text: reminder },
        { type: 'text', text: `${reminder}hello` },
      ],
    },
    { role: 'system', content: 'Agents: none.' },
  ];
  const answer = await ask(caller, 'messages', { model: SEES, max_tokens: 500, messages });
  expect(JSON.stringify(answer)).toContain('You said: “hello”');
});
