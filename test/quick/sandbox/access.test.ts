import { expect, test } from 'vitest';
import { MODEL, openSandboxClient, QUESTION, readJson } from '../../kit/sandbox/sandbox-client.ts';

const CHAT = '/v1/chat/completions';
const MESSAGES = '/v1/messages';
const JSON_TYPE = { 'content-type': 'application/json' };
const GOOD_CHAT = { model: MODEL, messages: [QUESTION] };
const GOOD_MESSAGE = { ...GOOD_CHAT, max_tokens: 50 };

interface Case {
  readonly what: string;
  readonly path: string;
  readonly body?: unknown;
  /** Replaces the default headers; KEY is replaced by the key. */
  readonly headers?: Record<string, string>;
  readonly status: number;
  readonly code?: string;
}

const CASES: readonly Case[] = [
  { what: 'no credential', path: CHAT, headers: JSON_TYPE, status: 401, code: 'invalid_api_key' },
  ...[
    ['Bearer without a space', 'BearerKEY'],
    ['a lower-case bearer', 'bearer KEY'],
    ['a doubled Bearer', 'Bearer Bearer KEY'],
    ['a bare key', 'KEY'],
    ['a quoted key', 'Bearer "KEY"'],
    ['two spaces after Bearer', 'Bearer  KEY'],
    ['an incomplete key', 'Bearer sandbox-'],
  ].map(([what = '', authorization = '']) => ({
    what,
    path: CHAT,
    headers: { ...JSON_TYPE, authorization },
    status: 401,
    code: 'invalid_api_key',
  })),
  {
    what: 'x-api-key outside Messages',
    path: CHAT,
    headers: { ...JSON_TYPE, 'x-api-key': 'KEY', 'acme-version': '2023-06-01' },
    status: 401,
  },
  {
    what: 'x-api-key without a version',
    path: MESSAGES,
    body: GOOD_MESSAGE,
    headers: { ...JSON_TYPE, 'x-api-key': 'KEY' },
    status: 401,
  },
  {
    what: 'x-api-key with a version that is no date',
    path: MESSAGES,
    body: GOOD_MESSAGE,
    headers: { ...JSON_TYPE, 'x-api-key': 'KEY', 'acme-version': 'latest' },
    status: 401,
  },
  {
    what: 'x-api-key with a version',
    path: MESSAGES,
    body: GOOD_MESSAGE,
    headers: { ...JSON_TYPE, 'x-api-key': 'KEY', 'acme-version': '2023-06-01' },
    status: 200,
  },
  ...(['latest', 'v1', '', '2023/06/01', '"2023-06-01"'] as const).map((version) => ({
    what: `a right Bearer with the version “${version}”, which is no date,`,
    path: MESSAGES,
    body: GOOD_MESSAGE,
    headers: { ...JSON_TYPE, authorization: 'Bearer KEY', 'acme-version': version },
    status: 401,
  })),
  {
    what: 'a right Bearer with a version that is a date',
    path: MESSAGES,
    body: GOOD_MESSAGE,
    headers: { ...JSON_TYPE, authorization: 'Bearer KEY', 'acme-version': '2023-06-01' },
    status: 200,
  },
  {
    what: 'a right Bearer beside a wrong x-api-key on Messages',
    path: MESSAGES,
    body: GOOD_MESSAGE,
    headers: { ...JSON_TYPE, authorization: 'Bearer KEY', 'x-api-key': 'other' },
    status: 401,
  },
  { what: 'Bearer on Messages', path: MESSAGES, body: GOOD_MESSAGE, status: 200 },
  { what: 'a doubled path', path: '/v1/messages/v1/messages', body: GOOD_MESSAGE, status: 404 },
  { what: 'a doubled /v1', path: '/v1/v1/chat/completions', status: 404 },
  { what: 'a missing /v1', path: '/chat/completions', status: 404 },
  { what: 'a path in another case', path: '/v1/Chat/Completions', status: 404 },
  { what: 'a trailing slash', path: `${CHAT}/`, status: 404 },
  { what: 'a doubled slash', path: '/v1//chat/completions', status: 404 },
  { what: 'a query', path: `${CHAT}?beta=true`, status: 200 },
  { what: 'a POST to the model list', path: '/v1/models', status: 405 },
  {
    what: 'no content type',
    path: CHAT,
    headers: { authorization: 'Bearer KEY', 'content-type': 'text/plain' },
    status: 400,
  },
  {
    what: 'a JSON content type with a charset',
    path: CHAT,
    headers: { authorization: 'Bearer KEY', 'content-type': 'application/json; charset=utf-8' },
    status: 200,
  },
  {
    what: 'a compressed body',
    path: CHAT,
    headers: { ...JSON_TYPE, authorization: 'Bearer KEY', 'content-encoding': 'gzip' },
    status: 400,
  },
  { what: 'a JSON content type on an upload', path: '/v1/files', status: 400 },
  {
    what: 'a model without its provider',
    path: CHAT,
    body: { ...GOOD_CHAT, model: 'aurora-large' },
    status: 404,
    code: 'model_not_found',
  },
  {
    what: 'a model in another case',
    path: CHAT,
    body: { ...GOOD_CHAT, model: 'Aurora/Aurora-Large' },
    status: 404,
    code: 'model_not_found',
  },
  {
    what: 'a display name',
    path: MESSAGES,
    body: { ...GOOD_MESSAGE, model: 'Aurora Large' },
    status: 404,
    code: 'model_not_found',
  },
  { what: 'a video model for text', path: CHAT, body: { ...GOOD_CHAT, model: 'h3' }, status: 400 },
  { what: 'no model', path: CHAT, body: { messages: [QUESTION] }, status: 400 },
  { what: 'a legacy prompt', path: CHAT, body: { model: MODEL, prompt: 'Hi' }, status: 400 },
  { what: 'no messages', path: CHAT, body: { model: MODEL, messages: [] }, status: 400 },
  {
    what: 'an unknown role',
    path: CHAT,
    body: { model: MODEL, messages: [{ role: 'robot', content: 'x' }] },
    status: 400,
  },
  {
    what: 'a message without content',
    path: CHAT,
    body: { model: MODEL, messages: [{ role: 'user' }] },
    status: 400,
  },
  { what: 'a temperature of 3', path: CHAT, body: { ...GOOD_CHAT, temperature: 3 }, status: 400 },
  {
    what: 'max_tokens as a string',
    path: CHAT,
    body: { ...GOOD_CHAT, max_tokens: '5' },
    status: 400,
  },
  { what: 'stream as a string', path: CHAT, body: { ...GOOD_CHAT, stream: 'true' }, status: 400 },
  {
    what: 'stream_options as a flag',
    path: CHAT,
    body: { ...GOOD_CHAT, stream: true, stream_options: true },
    status: 400,
  },
  { what: 'Messages without max_tokens', path: MESSAGES, body: GOOD_CHAT, status: 400 },
  { what: 'Responses without input', path: '/v1/responses', body: { model: MODEL }, status: 400 },
  { what: 'a body that is a list', path: CHAT, body: [], status: 400 },
];

test.for(CASES)('$what gets $status', async (line) => {
  await using caller = await openSandboxClient();
  const { key, url } = caller.sandbox;
  const headers = line.headers ?? { ...JSON_TYPE, authorization: 'Bearer KEY' };
  const answer = await fetch(url + line.path, {
    method: 'POST',
    headers: Object.entries(headers).map(([name, value]): [string, string] => [
      name,
      value.replace('KEY', key),
    ]),
    body: JSON.stringify(line.body ?? GOOD_CHAT),
  });
  expect(answer.status).toBe(line.status);
  const body = await readJson(answer);
  if (line.status === 200) return;
  expect(body['error']).toEqual({
    message: expect.any(String),
    type: expect.any(String),
    code: line.code ?? expect.any(String),
  });
  const onMessages = line.path.startsWith(MESSAGES);
  expect(body['type']).toBe(onMessages ? 'error' : undefined);
  expect(JSON.stringify(body)).not.toContain(key);
  expect(caller.sandbox.charges).toBe(0);
});

test('x-api-key alone gives no access to the model list', async () => {
  await using caller = await openSandboxClient();
  const { url, key } = caller.sandbox;
  const headers = { 'x-api-key': key, 'acme-version': '2023-06-01' };
  expect((await fetch(`${url}/v1/models`, { headers })).status).toBe(401);
});

test('an unknown method gets 405 with Allow, in the error shape of the protocol', async () => {
  await using caller = await openSandboxClient();
  const answer = await fetch(`${caller.sandbox.url}${CHAT}`, { method: 'DELETE' });
  expect(answer.status).toBe(405);
  expect(answer.headers.get('allow')).toBe('POST');
  expect(await readJson(answer)).toHaveProperty('error.code', 'method_not_allowed');
});

test('HEAD answers like GET, without a body', async () => {
  await using caller = await openSandboxClient();
  const { url, key } = caller.sandbox;
  const headers = { authorization: `Bearer ${key}` };
  const answer = await fetch(`${url}/v1/models`, { method: 'HEAD', headers });
  expect(answer.status).toBe(200);
  expect(Number(answer.headers.get('content-length'))).toBeGreaterThan(1000);
  expect(await answer.text()).toBe('');
});

test('a JSON body of more than 64 MiB gets 413', async () => {
  await using caller = await openSandboxClient();
  const answer = await caller.post(CHAT, { padding: 'x'.repeat(64 * 2 ** 20) });
  expect(answer.status).toBe(413);
  expect(await readJson(answer)).toHaveProperty('error.type', 'request_too_large');
  expect((await caller.get('/v1/models')).status).toBe(200);
});
