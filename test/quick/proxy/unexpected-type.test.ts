import { expect, test } from 'vitest';
import { describeFailure } from '../../../shared/failure/find-failure.ts';
import { question, sendRequest } from '../../kit/gateway/request.ts';
import { startScriptedHarness } from '../../kit/gateway/scripted-harness.ts';

const PAGE = '<!doctype html><title>Sign in to this network</title>';

function answer(type: string | null, body: string): string {
  const header = type === null ? '' : `content-type: ${type}\r\n`;
  return `HTTP/1.1 200 OK\r\n${header}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/** Sends a request that is answered with these bytes. Returns what its client got, and the record. */
async function exchange(request: Parameters<typeof sendRequest>[1], bytes: string) {
  await using scripted = await startScriptedHarness();
  const { harness, upstream } = scripted;
  const asked = sendRequest(harness, request);
  (await upstream.next()).connection.send(bytes);
  const response = await asked;
  const record = await harness.recordOf(response.headers.get('x-gatehouse-exchange'));
  return { response, record };
}

test('finding 4: a failure looks like one: HTML with 200 on a JSON route is relayed unchanged and recorded as failed', async () => {
  const { response, record } = await exchange(
    question('chat'),
    answer('text/html; charset=utf-8', PAGE),
  );
  expect([response.status, response.body]).toEqual([200, PAGE]);
  expect(record).toMatchObject({
    status: 200,
    errorCode: 'unexpected_content_type',
    errorMessage: expect.stringContaining('The service answered with text/html instead of JSON.'),
    endedBy: 'service',
    // The service did no work for it.
    cost: null,
    usage: { input: null, output: null },
  });
  expect(record.errorMessage).toContain('a sign-in page of this network');
});

test('a page in the place of an answer leaves the service doubtful until it answers with JSON', async () => {
  await using scripted = await startScriptedHarness();
  const { harness, upstream } = scripted;
  const ask = async (type: string, body: string) => {
    const asked = sendRequest(harness, question('chat'));
    (await upstream.next()).connection.send(answer(type, body));
    await harness.recordOf((await asked).headers.get('x-gatehouse-exchange'));
    return (await harness.gateway.status()).reach;
  };
  expect((await ask('application/json', '{}')).state).toBe('reachable');
  expect(await ask('text/html', PAGE)).toMatchObject({
    state: 'doubtful',
    sentence: expect.stringContaining('answered with text/html instead of JSON'),
  });
  expect((await ask('application/json', PAGE)).state).toBe('doubtful');
  expect((await ask('application/json', '{}')).state).toBe('reachable');
});

test.each([[null], ['application/json']])(
  'a page of the type %s is recorded as failed, and costs nothing',
  async (type) => {
    const { response, record } = await exchange(question('chat'), answer(type, `\n${PAGE}`));
    expect([response.status, response.body]).toEqual([200, `\n${PAGE}`]);
    expect(record).toMatchObject({
      status: 200,
      errorCode: 'unexpected_content_type',
      errorMessage: expect.stringContaining('The service answered with a page instead of JSON.'),
      endedBy: 'service',
      cost: null,
      usage: { input: null, output: null },
    });
  },
);

test.each([
  ['application/json; charset=utf-8', '{}'],
  ['application/problem+json', '{}'],
  ['text/event-stream', 'data: [DONE]\n\n'],
  [null, '{}'],
])('an answer of the type %s is none', async (type, body) => {
  const { record } = await exchange(question('chat'), answer(type, body));
  expect(record.errorCode).not.toBe('unexpected_content_type');
});

test('files may have any type', async () => {
  const { record } = await exchange({ path: '/v1/files/one/content' }, answer('text/html', PAGE));
  expect(record.errorCode).toBeNull();
});

test('HTML with 200 for an upload is recorded as failed, too', async () => {
  const form =
    '--x\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\nContent-Type: image/png\r\n\r\nabc\r\n--x--\r\n';
  const headers = ['Content-Type: multipart/form-data; boundary=x'];
  const { record } = await exchange(
    { path: '/v1/files', headers, body: form },
    answer('text/html', PAGE),
  );
  expect(record).toMatchObject({ status: 200, errorCode: 'unexpected_content_type' });
});

test('a redirect of a request to a model is recorded as failed: no model answered', async () => {
  const redirect =
    'HTTP/1.1 302 Found\r\nlocation: https://portal.example.com/\r\ncontent-length: 0\r\n\r\n';
  const { response, record } = await exchange(question('chat'), redirect);
  expect(response.status).toBe(302);
  expect(record).toMatchObject({ status: 302, errorCode: 'redirected' });
  expect(describeFailure(record)).toBe('redirected');
  // No model answered, so there is nothing to pay.
  expect([record.cost, record.usage.output]).toEqual([null, null]);
});
