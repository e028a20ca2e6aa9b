import { describe, expect, test } from 'vitest';
import { type ChatFile, TextProtocol } from '../../../shared/chat/chat.ts';
import { INTERRUPTED } from './problem.ts';
import { type RequestOptions, buildRequest, type PathMessage } from './build-request.ts';

const IMAGE: ChatFile = {
  kind: 'image',
  hash: 'a'.repeat(64),
  name: 'dot.png',
  type: 'image/png',
  bytes: 3,
};
const NOTHING_SET = { system: '', temperature: null, maxTokens: null };

function createQuestion(text: string, ...files: ChatFile[]): PathMessage {
  return { text, files, answer: null };
}

function file(name: string, text: string): ChatFile {
  return { kind: 'text', name, text };
}

function createAnswer(text: string): PathMessage {
  const answer = {
    state: 'done' as const,
    model: 'm',
    protocol: 'chat' as const,
    plain: false,
    modelServed: null,
    finish: null,
    exchangeId: null,
    firstTokenMs: null,
    durationMs: null,
    tokensPerSecond: null,
    usage: null,
    cost: null,
    problem: text === '' ? INTERRUPTED : null,
  };
  return { text, files: [], answer };
}

function buildTestRequest(options: Partial<RequestOptions>) {
  return buildRequest({
    protocol: 'chat',
    model: 'm',
    settings: NOTHING_SET,
    path: [createQuestion('Hello')],
    plain: false,
    base64Of: () => 'AQID',
    ...options,
  });
}

const SET = { system: 'Be brief.', temperature: 0.5, maxTokens: 100 };
const TALK = [createQuestion('One'), createAnswer('1'), createQuestion('Two')];

describe('A request', () => {
  test('of Chat Completions has all settings', () => {
    expect(buildTestRequest({ settings: SET, path: TALK })).toEqual({
      path: '/v1/chat/completions',
      body: {
        model: 'm',
        messages: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: 'One' },
          { role: 'assistant', content: '1' },
          { role: 'user', content: 'Two' },
        ],
        temperature: 0.5,
        max_tokens: 100,
        stream_options: { include_usage: true },
        stream: true,
      },
      extras: ['temperature', 'max_tokens', 'stream_options', 'stream'],
    });
  });

  test('of Responses has all settings', () => {
    expect(buildTestRequest({ protocol: 'responses', settings: SET, path: TALK })).toEqual({
      path: '/v1/responses',
      body: {
        model: 'm',
        input: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: 'One' },
          { role: 'assistant', content: '1' },
          { role: 'user', content: 'Two' },
        ],
        temperature: 0.5,
        max_output_tokens: 100,
        stream: true,
      },
      extras: ['temperature', 'max_output_tokens', 'stream'],
    });
  });

  test('of Messages has all settings and always a token limit', () => {
    const { body, path, extras } = buildTestRequest({
      protocol: 'messages',
      settings: SET,
      path: TALK,
    });
    expect(path).toBe('/v1/messages');
    expect(body).toEqual({
      model: 'm',
      max_tokens: 100,
      messages: [
        { role: 'user', content: 'One' },
        { role: 'assistant', content: '1' },
        { role: 'user', content: 'Two' },
      ],
      temperature: 0.5,
      system: 'Be brief.',
      stream: true,
    });
    expect(extras).toEqual(['temperature', 'max_tokens', 'system', 'stream']);
    expect(buildTestRequest({ protocol: 'messages' }).body).toEqual({
      model: 'm',
      max_tokens: 8192,
      messages: [{ role: 'user', content: 'Hello' }],
      stream: true,
    });
  });

  test.each(TextProtocol.options)('over %s has no parameter that was not set', (protocol) => {
    const { body } = buildTestRequest({ protocol });
    expect(Object.keys(body)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/temperature|system|max_output_tokens/)]),
    );
  });

  test('without settings has only the model and the messages, including the system prompt', () => {
    const plain = { plain: true, settings: SET };
    const system = { role: 'system', content: 'Be brief.' };
    const user = { role: 'user', content: 'Hello' };
    expect(buildTestRequest(plain)).toMatchObject({
      body: { model: 'm', messages: [system, user] },
      extras: [],
    });
    const bodyOf = (protocol: TextProtocol) => buildTestRequest({ ...plain, protocol }).body;
    expect(Object.keys(bodyOf('chat'))).toEqual(['model', 'messages']);
    expect(bodyOf('responses')).toEqual({ model: 'm', input: [system, user] });
    expect(bodyOf('messages')).toEqual({
      model: 'm',
      max_tokens: 8192,
      messages: [{ role: 'user', content: 'Be brief.\n\nHello' }],
    });
  });

  test('leaves out empty answers; in Messages the messages before and after become one', () => {
    const path = [
      createQuestion('One'),
      createAnswer(''),
      createQuestion('Two', IMAGE),
      createAnswer(' \n'),
      createQuestion('Three'),
    ];
    const messagesOf = (protocol: TextProtocol) =>
      buildTestRequest({ protocol, path }).body['messages'];
    expect(messagesOf('chat')).toEqual([
      { role: 'user', content: 'One' },
      { role: 'user', content: [expect.anything(), { type: 'text', text: 'Two' }] },
      { role: 'user', content: 'Three' },
    ]);
    const source = { type: 'base64', media_type: 'image/png', data: 'AQID' };
    expect(messagesOf('messages')).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'One' },
          { type: 'image', source },
          { type: 'text', text: 'Two' },
          { type: 'text', text: 'Three' },
        ],
      },
    ]);
  });

  test('has images in the public form of each protocol, and a list of parts only for them', () => {
    const path = [createQuestion('See', IMAGE), createAnswer('Yes'), createQuestion('', IMAGE)];
    const url = 'data:image/png;base64,AQID';
    expect(buildTestRequest({ path }).body['messages']).toEqual([
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url } },
          { type: 'text', text: 'See' },
        ],
      },
      { role: 'assistant', content: 'Yes' },
      { role: 'user', content: [{ type: 'image_url', image_url: { url } }] },
    ]);
    expect(buildTestRequest({ path, protocol: 'responses' }).body['input']).toMatchObject([
      {
        content: [
          { type: 'input_image', image_url: url },
          { type: 'input_text', text: 'See' },
        ],
      },
      { role: 'assistant', content: 'Yes' },
      { role: 'user' },
    ]);
  });

  test('has text files as named blocks before the text, with fences that no file can end', () => {
    const path = [createQuestion('Why?', file('a.md', '````\nx\n````'), file('b`\n.c', 'y\n'))];
    const content = 'a.md:\n`````md\n````\nx\n````\n`````\n\nb__.c:\n```c\ny\n```\n\nWhy?';
    expect(buildTestRequest({ path }).body['messages']).toEqual([{ role: 'user', content }]);
    const alone = buildTestRequest({ path: [createQuestion('', file('n', 'y'))] }).body['messages'];
    expect(alone).toEqual([{ role: 'user', content: 'n:\n```\ny\n```' }]);
  });
});
