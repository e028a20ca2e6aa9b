import { expect, test } from 'vitest';
import { estimateTokens } from '../../../gateway/proxy/response/local-response.ts';
import { type RawRequest, sendRequest } from '../../kit/gateway/request.ts';
import { jsonAnswer, openUpstream } from '../../kit/net/scripted-upstream.ts';
import { startHarness } from '../../kit/gateway/harness.ts';

const NOT_FOUND = jsonAnswer(404, { error: { message: 'No such page.', code: 'not_found' } });
const NEXT = jsonAnswer(404, { error: { message: 'Unknown.', code: 'model_not_found' } });
const COUNT = '/v1/messages/count_tokens';

/** Sends a request to a service that lists two models and answers everything else with `upstreamAnswer`. */
async function send(request: RawRequest, upstreamAnswer = NOT_FOUND, strict = false) {
  await using service = await openUpstream({ models: ['m', 'vendor/large model'] });
  await using harness = await startHarness({ baseUrl: service.url, strict });
  const answering = sendRequest(harness, request);
  (await service.next()).connection.send(upstreamAnswer);
  const answer = await answering;
  const record = await harness.recordOf(answer.headers.get('x-gatehouse-exchange'));
  return { answer, record, json: JSON.parse(answer.body) };
}

test.each([
  ['m', 'm'],
  ['vendor/large%20model', 'vendor/large model'],
  ['vendor%2Flarge%20model', 'vendor/large model'],
])('the model %s is answered from the list', async (path, id) => {
  const { answer, json, record } = await send({ path: `/v1/models/${path}` });
  expect(answer.status).toBe(200);
  expect(json).toEqual({ id, object: 'model' });
  expect(answer.headers.get('x-gatehouse-repairs')).toBe('model-from-list');
  expect(record).toMatchObject({ status: 200, modelAsked: id, errorCode: null });
});

test.each([404, 405, 501])('a status of %i counts as an unknown endpoint', async (status) => {
  const upstreamAnswer = jsonAnswer(status, { error: { message: 'No.' } });
  expect((await send({ path: '/v1/models/m' }, upstreamAnswer)).answer.status).toBe(200);
});

test('a model that is not in the list gets 404 in the shape of the protocol', async () => {
  const error = { code: 'model_not_found', type: 'not_found_error' };
  const chat = await send({ path: '/v1/models/none%2Fsuch' });
  expect([chat.answer.status, chat.json]).toMatchObject([404, { error }]);
  expect(chat.json.error.message).toContain('none/such');
  const headers = ['anthropic-version: 2023-06-01'];
  const messages = await send({ path: '/v1/models/none', headers });
  expect([messages.answer.status, messages.json]).toMatchObject([404, { type: 'error', error }]);
  expect(messages.record.errorCode).toBe('model_not_found');
});

test('the answer of a service with this endpoint is passed on', async () => {
  const { answer, json } = await send({ path: '/v1/models/none' }, NEXT);
  expect([answer.status, json.error.message]).toEqual([404, 'Unknown.']);
});

test('tokens are estimated, and the answer says that it is an estimate', async () => {
  const messages = [{ role: 'user', content: 'x'.repeat(4000) }];
  const body = JSON.stringify({ model: 'm', messages });
  const headers = ['Content-Type: application/json', 'anthropic-version: 2023-06-01'];
  const { answer, json } = await send({ path: COUNT, headers, body });
  expect(answer.status).toBe(200);
  expect(json).toEqual({ input_tokens: expect.any(Number), estimated: true });
  expect(json.input_tokens).toBeGreaterThan(900);
  expect(json.input_tokens).toBeLessThan(1100);
  expect(answer.headers.get('x-gatehouse-estimate')).toBe('input_tokens');
  expect(answer.headers.get('x-gatehouse-repairs')).toBe('tokens-estimated');
});

test('tokens of a body that arrives in several pieces are estimated', async () => {
  const messages = [{ role: 'user', content: 'x'.repeat(200 * 1024) }];
  const headers = ['Content-Type: application/json', 'anthropic-version: 2023-06-01'];
  const body = JSON.stringify({ model: 'm', messages });
  const { answer, json } = await send({ path: COUNT, headers, body });
  expect([answer.status, json.estimated]).toEqual([200, true]);
});

test.each(['{"model":', `${'['.repeat(300)}${']'.repeat(300)}`])(
  'what cannot be counted is left to the service',
  async (body) => {
    const headers = ['Content-Type: application/json', 'anthropic-version: 2023-06-01'];
    expect((await send({ path: COUNT, headers, body })).answer.status).toBe(404);
  },
);

test('a model refusal in the shape of the Messages protocol is passed on', async () => {
  const error = { type: 'not_found_error', message: 'model: zz' };
  const upstreamAnswer = jsonAnswer(404, { type: 'error', error });
  const body = JSON.stringify({ model: 'zz', messages: [] });
  const { answer, json } = await send({ path: COUNT, body }, upstreamAnswer);
  expect([answer.status, json]).toMatchObject([404, { error }]);
});

test.each(['{"messages":5}', 'null', '[]', '{}', '"text"'])(
  'the tokens of %s are not counted, and the answer says why',
  async (body) => {
    const headers = ['Content-Type: application/json', 'anthropic-version: 2023-06-01'];
    const { answer, json } = await send({ path: COUNT, headers, body });
    expect([answer.status, json]).toMatchObject([
      400,
      { type: 'error', error: { type: 'invalid_request_error' } },
    ]);
    expect(json.error.message).toContain('"messages" as an array');
  },
);

test('strict mode passes both answers of the service on', async () => {
  expect((await send({ path: '/v1/models/m' }, NOT_FOUND, true)).answer.status).toBe(404);
  expect((await send({ path: COUNT, body: '{}' }, NOT_FOUND, true)).answer.status).toBe(404);
});

test('an estimate accepts long texts, images and many values', () => {
  expect(estimateTokens({ content: 'a'.repeat(100_000) })).toBe(25_003);
  const source = { type: 'base64', media_type: 'image/png', data: 'A'.repeat(20_000_000) };
  expect(estimateTokens([{ type: 'image', source }])).toBe(1_600);
  expect(estimateTokens([{ type: 'text', text: '漢字'.repeat(100) }])).toBeGreaterThan(150);
  expect(estimateTokens(Array.from({ length: 200_000 }, () => 'a'))).toBe(50_000);
});
