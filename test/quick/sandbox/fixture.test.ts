import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assert, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { FIXTURE_FORMAT, type FixtureStep } from '../../../sandbox/fixture/fixture.ts';
import { Playback } from '../../../sandbox/fixture/playback.ts';
import { parseFixture } from '../../../sandbox/fixture/parse-fixture.ts';
import { readFixture } from '../../../sandbox/fixture/read-fixture.ts';
import { AGENT_LOOPS, LOOP_MODEL, SESSION } from '../../kit/sandbox/agent-loops.ts';
import { openSandboxClient, type SandboxClient } from '../../kit/sandbox/sandbox-client.ts';

const MODEL = 'fixture/one';

function fixture(...steps: readonly object[]) {
  return parseFixture(
    JSON.stringify({ format: FIXTURE_FORMAT, models: [MODEL, LOOP_MODEL], steps }),
  );
}

async function open(...steps: readonly object[]): Promise<SandboxClient> {
  return await openSandboxClient({ fixture: fixture(...steps) });
}

const Answer = z.object({
  choices: z.array(z.object({ message: z.object({ content: z.string() }) })).optional(),
  error: z.object({ code: z.string(), message: z.string() }).optional(),
});

/** Asks over Chat, and returns the answer's text, or the error's message. */
async function ask(client: SandboxClient, text: string, fields: object = {}): Promise<string> {
  const response = await client.post('/v1/chat/completions', {
    model: MODEL,
    messages: [{ role: 'user', content: text }],
    ...fields,
  });
  const { choices, error } = Answer.parse(await response.json());
  return choices?.[0]?.message.content ?? `${response.status} ${error?.code} ${error?.message}`;
}

const say = (text: string, more: object = {}) => ({ answer: { text }, ...more });

describe('steps', () => {
  test('without a condition are played in their order, each once', async () => {
    await using client = await open(say('one'), say('two'));
    expect(await ask(client, 'a')).toBe('one');
    expect(await ask(client, 'b')).toBe('two');
    expect(await ask(client, 'c')).toBe(
      '400 fixture_exhausted No step of the fixture is left for this request. All 2 steps were played.',
    );
    expect(client.sandbox).toMatchObject({ stepsLeft: 0, charges: 2 });
  });

  test('are played by their condition, whatever their order', async () => {
    await using client = await open(
      say('a title', { when: { contains: 'title', tools: false } }),
      say('for another model', { when: { model: 'aurora/aurora-large' } }),
      say('a stream', { when: { stream: true } }),
      say('the answer'),
    );
    expect(await ask(client, 'Explain it.')).toBe('the answer');
    expect(await ask(client, 'Explain it.', { model: 'aurora/aurora-large' })).toBe(
      'for another model',
    );
    expect(await ask(client, 'Give   it a\ntitle.')).toBe('a title');
    expect(client.sandbox.stepsLeft).toBe(1);
  });

  test('are 10,000 in the order of their conditions; each is normalized once', () => {
    const texts = Array.from({ length: 10_000 }, (_, at) => `question ${at} of many`);
    let reads = 0;
    const steps: readonly FixtureStep[] = texts.map((text, at) => {
      const [step] = fixture(say(String(at), { when: { contains: text } })).steps;
      assert(step !== undefined);
      const when = {
        ...step.when,
        get contains() {
          reads += 1;
          return text;
        },
      };
      return { ...step, when };
    });
    const playback = new Playback(steps);
    const facts = { protocol: 'chat', model: MODEL, tools: false, stream: false } as const;
    const indexes = new Map(steps.map((step, at) => [step, at]));
    for (const [at, text] of texts.entries()) {
      const request = { ...facts, newest: `Now ${text}.` };
      expect(playback.play(request, (step) => indexes.get(step))).toBe(at);
    }
    expect([playback.stepsLeft, reads]).toEqual([0, texts.length]);
  });

  test('that repeat are played again and again', async () => {
    const again = { when: { contains: 'title' }, repeat: true };
    await using client = await open(say('a title', again), say('the answer'));
    for (const _ of [1, 2, 3]) expect(await ask(client, 'A title, please.')).toBe('a title');
    expect(await ask(client, 'Explain it.')).toBe('the answer');
    expect(client.sandbox.stepsLeft).toBe(0);
    expect(await ask(client, 'More?')).toContain(
      'Next would be steps[0]: the newest text must contain “title” and is “More?”.',
    );
  });

  test('that do not fit are explained by every difference', async () => {
    const when = { protocol: 'messages', contains: 'Write', tools: true, stream: true, model: 'x' };
    await using client = await open(say('one', { when }));
    expect(await ask(client, 'Read it.')).toBe(
      '400 fixture_exhausted No step of the fixture is left for this request. Next would be steps[0]: ' +
        'its protocol is messages, that of the request chat; its model is x, that of the request fixture/one; ' +
        'its "tools" is true, that of the request false; its "stream" is true, that of the request false; ' +
        'the newest text must contain “Write” and is “Read it.”.',
    );
    expect(client.sandbox).toMatchObject({ stepsLeft: 1, charges: 0 });
  });

  test('stay for the next request when one is refused', async () => {
    await using client = await open(say('one'));
    const refused = await ask(client, 'a', { temperature: 9 });
    expect(refused).toContain('400 invalid_request');
    expect(await ask(client, 'a', { model: 'unknown' })).toContain('404 model_not_found');
    expect(await ask(client, 'a')).toBe('one');
  });

  test('are compared with what came after the latest answer only', async () => {
    await using client = await open(
      say('the task', { when: { contains: 'task' } }),
      say('the result', { when: { contains: 'result' } }),
    );
    const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } };
    const messages = [
      { role: 'user', content: 'The task' },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c', content: [{ type: 'text', text: 'The result' }] },
    ];
    expect(await ask(client, '', { messages })).toBe('the result');
    expect(
      await ask(client, '', { messages: [{ role: 'system', content: 'task' }, ...messages] }),
    ).toContain('fixture_exhausted');
  });

  test('of requests at the same time are different ones', async () => {
    const steps = Array.from({ length: 40 }, (_, place) => say(`answer ${place}`));
    await using client = await open(...steps);
    const answers = await Promise.all(steps.map(async () => await ask(client, 'x')));
    expect(answers.toSorted()).toEqual(steps.map(({ answer }) => answer.text).toSorted());
  });
});

test('models of a fixture are listed and accepted, and text selects no scenario', async () => {
  await using client = await open(say('one'), say('two'));
  const list = await (await client.get('/v1/models')).text();
  expect(list).toContain(MODEL);
  expect(list).toContain('aurora/aurora-large');
  expect(await ask(client, '[scenario error-500]')).toBe('one');
  expect(await ask(client, 'x', { model: 'sandbox/error-500' })).toBe('two');
});

/** Sends a request that the sandbox would refuse. */
async function sendRefused(client: SandboxClient): Promise<Response> {
  const messages = [{ role: 'unknown', content: 'It has no such role.' }];
  return await client.post('/v1/chat/completions', { model: MODEL, messages });
}

describe('a recorded response', () => {
  test.each([
    ['events', ['data: {"a":"ü"}\r\n\r\n', ': ping\n\n', 'data: [DONE]\n\n', ' trailing']],
    ['body', '{"half": "of a document'],
  ])('is sent byte for byte from its %s', async (name, value) => {
    const response = { status: 203, contentType: 'text/x-any; charset=utf-8', [name]: value };
    await using client = await open({ response });
    const got = await sendRefused(client);
    expect([got.status, got.headers.get('content-type')]).toEqual([203, response.contentType]);
    expect(await got.text()).toBe([value].flat().join(''));
  });

  test.each([
    ['events', ['data: 1\n\n', 'data: 2']],
    ['body', '{"half": "of a document'],
  ])('that was cut breaks the connection after its %s', async (name, value) => {
    await using client = await open({ response: { [name]: value, cut: true } });
    const got = await sendRefused(client);
    const chunks: Buffer[] = [];
    const reading = (async () => {
      for await (const chunk of got.body ?? []) chunks.push(Buffer.from(chunk));
    })();
    await expect(reading).rejects.toThrow();
    expect(Buffer.concat(chunks).toString()).toBe([value].flat().join(''));
  });
});

describe('a file is refused with its place:', () => {
  test.each([
    ['[]', 'The file must be an object.'],
    ['{"format":"gatehouse-fixture-1"', 'It is not valid JSON: '],
    ['{"format":"gatehouse-fixture-1","steps":[,]}', 'Unexpected token'],
    ['{"format":"gatehouse-fixture-1"\n"steps":[]}', '(line 2 column 1)'],
    ['{"steps":[]}', 'format must be "gatehouse-fixture-1".'],
    ['{"format":"gatehouse-fixture-2","steps":[]}', 'format must be "gatehouse-fixture-1".'],
    ['{"format":"gatehouse-fixture-1"}', 'steps is missing.'],
    ['{"format":"gatehouse-fixture-1","steps":{}}', 'steps must be a list.'],
    ['{"format":"gatehouse-fixture-1","steps":[],"models":[1]}', 'models[0] must be a string.'],
  ])('%s', (text, message) => {
    expect(() => parseFixture(text)).toThrow(message);
  });

  test.each([
    [{}, 'steps[1] needs either an "answer" or a "response".'],
    [{ answer: { text: '' }, response: {} }, 'steps[1] needs either an "answer" or a "response".'],
    [{ answer: {} }, 'steps[1].answer needs a "text", or "tools" with a call.'],
    [{ answer: { text: 1 } }, 'steps[1].answer.text must be a string.'],
    [{ answer: { tools: [{}] } }, 'steps[1].answer.tools[0].name is missing.'],
    [
      { answer: { tools: [{ name: 'f', input: [] }] } },
      'steps[1].answer.tools[0].input must be an object.',
    ],
    [say('', { when: { contain: 'x' } }), 'steps[1].when.contain is not known. Known here: '],
    [say('', { when: { protocol: 'x' } }), 'steps[1].when.protocol must be one of chat, '],
    [say('', { when: null }), 'steps[1].when must be an object.'],
    [{ response: {} }, 'steps[1].response needs either "events" or a "body".'],
    [
      { response: { body: '', status: 100 } },
      'steps[1].response.status must be a whole number from 200 to 999.',
    ],
    [
      { response: { body: '', contentType: 'a\nb' } },
      'steps[1].response.contentType must be 1 to 200 ASCII characters.',
    ],
  ])('%j', (step, message) => {
    expect(() => fixture(say('first'), step)).toThrow(message);
  });

  test('a step behind one that takes every request', () => {
    expect(() => fixture(say('a', { repeat: true }), say('b'))).toThrow(
      'steps[0] repeats for every',
    );
    expect(fixture(say('b'), say('a', { repeat: true })).steps).toHaveLength(2);
  });

  test('what is no text, too large, or not there', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'fixture-'));
    try {
      const file = join(folder, 'f.json');
      await writeFile(file, Buffer.from([0xff, 0xfe]));
      await expect(readFixture(file)).rejects.toThrow(`${file}: It is not UTF-8 text.`);
      await writeFile(file, Buffer.alloc(64 * 2 ** 20 + 1, ' '));
      await expect(readFixture(file)).rejects.toThrow(`${file}: It is larger than 64 MiB.`);
      await expect(readFixture(join(folder, 'none'))).rejects.toThrow('ENOENT');
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

test.each(AGENT_LOOPS)(
  'an agent works through a script over $protocol (streamed: $isStreamed)',
  async ({ run }) => {
    await using client = await open(...SESSION);
    expect(await run(client.sandbox, 'Do the task.')).toMatchObject({
      texts: ['I compute both.', '', 'It is **25** 🦊.'],
      calls: ['add {"a":2,"b":3}', 'multiply {"a":4,"b":5}', 'add {"a":5,"b":20}'],
    });
    expect(client.sandbox.stepsLeft).toBe(0);
  },
);

test('agents of all protocols share one fixture at the same time', async () => {
  const steps = AGENT_LOOPS.flatMap(({ protocol, isStreamed }) =>
    SESSION.map(({ when, answer }) => ({
      when: { ...when, protocol, stream: isStreamed },
      answer,
    })),
  );
  await using client = await open(...steps);
  const transcripts = await Promise.all(
    AGENT_LOOPS.map(async ({ run }) => await run(client.sandbox, 'Do the task.')),
  );
  for (const { texts } of transcripts) expect(texts.at(-1)).toBe('It is **25** 🦊.');
  expect(client.sandbox.stepsLeft).toBe(0);
});
