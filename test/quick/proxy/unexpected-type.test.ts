import { expect, test } from 'vitest';
import { describeFailure } from '../../../shared/failure/find-failure.ts';
import { question, sendRequest } from '../../kit/gateway/request.ts';
import { startScriptedHarness } from '../../kit/gateway/scripted-harness.ts';

const PAGE = '<!doctype html><title>Sign in to this network</title>';

function answer(type: string | null, body: string): string {
  const header = type === null ? '' : `content-type: ${type}\r\n`;
  return `HTTP/1.1 200 OK\r\n${header}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

test('finding 4: a failure looks like one: HTML with 200 on a JSON route is relayed unchanged and recorded as failed', async () => {
  await using scripted = await startScriptedHarness();
  const { harness, upstream } = scripted;
  const asked = sendRequest(harness, question('chat'));
  (await upstream.next()).connection.send(answer('text/html; charset=utf-8', PAGE));
  const response = await asked;
  expect([response.status, response.body]).toEqual([200, PAGE]);
  const record = await harness.recordOf(response.headers.get('x-gatehouse-exchange'));
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

test.each([[null], ['application/json']])(
  'a page of the type %s is recorded as failed, and costs nothing',
  async (type) => {
    await using scripted = await startScriptedHarness();
    const { harness, upstream } = scripted;
    const asked = sendRequest(harness, question('chat'));
    (await upstream.next()).connection.send(answer(type, `\n${PAGE}`));
    const response = await asked;
    expect([response.status, response.body]).toEqual([200, `\n${PAGE}`]);
    const record = await harness.recordOf(response.headers.get('x-gatehouse-exchange'));
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
  await using scripted = await startScriptedHarness();
  const { harness, upstream } = scripted;
  const asked = sendRequest(harness, question('chat'));
  (await upstream.next()).connection.send(answer(type, body));
  const response = await asked;
  const record = await harness.recordOf(response.headers.get('x-gatehouse-exchange'));
  expect(record.errorCode).not.toBe('unexpected_content_type');
});

test('files may have any type', async () => {
  await using scripted = await startScriptedHarness();
  const { harness, upstream } = scripted;
  const asked = sendRequest(harness, { path: '/v1/files/one/content' });
  (await upstream.next()).connection.send(answer('text/html', PAGE));
  const response = await asked;
  const record = await harness.recordOf(response.headers.get('x-gatehouse-exchange'));
  expect(record.errorCode).toBeNull();
});

test('HTML with 200 for an upload is recorded as failed, too', async () => {
  await using scripted = await startScriptedHarness();
  const { harness, upstream } = scripted;
  const form =
    '--x\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\nContent-Type: image/png\r\n\r\nabc\r\n--x--\r\n';
  const headers = ['Content-Type: multipart/form-data; boundary=x'];
  const asked = sendRequest(harness, { path: '/v1/files', headers, body: form });
  (await upstream.next()).connection.send(answer('text/html', PAGE));
  const response = await asked;
  const record = await harness.recordOf(response.headers.get('x-gatehouse-exchange'));
  expect(record).toMatchObject({ status: 200, errorCode: 'unexpected_content_type' });
});

test('a redirect of a request to a model is recorded as failed: no model answered', async () => {
  await using scripted = await startScriptedHarness();
  const { harness, upstream } = scripted;
  const asked = sendRequest(harness, question('chat'));
  const redirect =
    'HTTP/1.1 302 Found\r\nlocation: https://portal.example.com/\r\ncontent-length: 0\r\n\r\n';
  (await upstream.next()).connection.send(redirect);
  const response = await asked;
  expect(response.status).toBe(302);
  const record = await harness.recordOf(response.headers.get('x-gatehouse-exchange'));
  expect(record).toMatchObject({ status: 302, errorCode: 'redirected' });
  expect(describeFailure(record)).toBe('redirected');
  // No model answered, so there is nothing to pay.
  expect([record.cost, record.usage.output]).toEqual([null, null]);
});
