import zlib from 'node:zlib';
import { expect } from 'vitest';
import { requestsAt, latestRequest, headerValues } from '../../kit/gateway/sandbox-requests.ts';
import { testsIn } from '../../kit/gateway/harness-test.ts';
import { sendRaw } from '../../kit/net/raw-http.ts';
import { repairCodes, fillRequest, type Request } from './mistakes/fill.ts';
import { TEXT_BODY } from './mistakes/mistake.ts';

const test = testsIn({ strict: true });

interface Row extends Request {
  readonly name: string;
  readonly status: number;
  /** `error.code` of the answer. */
  readonly code: string | null;
  /** The code in the record, where it differs. */
  readonly recordedCode?: string;
  /** Whether the service received the request; otherwise the answer is Gatehouse's own. */
  readonly sent: boolean;
}

const CHAT = 'POST /v1/chat/completions';

const ROWS: readonly Row[] = [
  {
    name: 'a doubled path',
    requestLine: 'POST /v1/messages/v1/messages',
    status: 404,
    code: 'not_found',
    sent: true,
  },
  {
    name: 'a path in capitals',
    requestLine: 'POST /v1/Messages',
    status: 404,
    code: 'not_found',
    sent: true,
  },
  {
    name: 'an extra slash',
    requestLine: 'POST /v1/chat/completions/',
    status: 404,
    code: 'not_found',
    sent: true,
  },
  {
    name: 'a path without /v1',
    requestLine: 'POST /messages',
    status: 404,
    code: 'unknown_path',
    sent: false,
  },
  {
    name: 'a path prefix',
    requestLine: 'POST /openai/v1/responses',
    status: 404,
    code: 'unknown_path',
    sent: false,
  },
  {
    name: 'bearer in lower case',
    requestLine: CHAT,
    credential: ['Authorization: bearer {key}'],
    status: 401,
    code: 'invalid_api_key',
    recordedCode: 'malformed_local_key',
    sent: false,
  },
  {
    name: 'a key in the URL',
    requestLine: `${CHAT}?key={key}`,
    credential: [],
    status: 401,
    code: 'invalid_api_key',
    recordedCode: 'malformed_local_key',
    sent: false,
  },
  ...[
    ['typographic quotes', 'Authorization: Bearer \u00e2\u0080\u009c{key}\u00e2\u0080\u009d'],
    ['another header', 'x-goog-api-key: {key}'],
  ].map(([name, line = '']): Row => ({
    name: `a key in ${name}`,
    requestLine: CHAT,
    credential: [line],
    status: 401,
    code: 'invalid_api_key',
    recordedCode: 'malformed_local_key',
    sent: false,
  })),
  {
    name: 'a dot segment with a parameter',
    requestLine: 'GET /v1/..;/admin',
    status: 400,
    code: 'invalid_path',
    sent: false,
  },
  {
    name: 'a space after the path',
    requestLine: `${CHAT}%20`,
    status: 404,
    code: 'not_found',
    sent: true,
  },
  {
    name: 'an upload whose part is named image',
    requestLine: 'POST /v1/files',
    lines: ['Content-Type: multipart/form-data; boundary=b'],
    body: '--b\r\nContent-Disposition: form-data; name="image"; filename="a"\r\n\r\nx\r\n--b--\r\n',
    status: 400,
    code: 'invalid_request',
    sent: true,
  },
  {
    name: 'an image as the whole body',
    requestLine: 'POST /v1/files',
    lines: ['Content-Type: image/png'],
    body: Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1'),
    status: 400,
    code: 'invalid_request',
    sent: true,
  },
  {
    name: 'a key in api-key',
    requestLine: CHAT,
    credential: ['api-key: {key}'],
    status: 401,
    code: 'invalid_api_key',
    recordedCode: 'malformed_local_key',
    sent: false,
  },
  {
    name: 'JSON without a content type',
    requestLine: CHAT,
    lines: [],
    status: 400,
    code: 'invalid_request',
    sent: true,
  },
  {
    name: 'a compressed body',
    requestLine: CHAT,
    lines: ['Content-Type: application/json', 'Content-Encoding: gzip'],
    body: zlib.gzipSync(TEXT_BODY),
    status: 400,
    code: 'invalid_request',
    sent: true,
  },
  {
    name: 'an upload declared as JSON',
    requestLine: 'POST /v1/files',
    lines: ['Content-Type: application/json'],
    body: '--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nx\r\n--b--\r\n',
    status: 400,
    code: 'invalid_request',
    sent: true,
  },
  {
    name: 'a model without its provider',
    requestLine: CHAT,
    body: TEXT_BODY.replace('aurora/', ''),
    status: 404,
    code: 'model_not_found',
    sent: true,
  },
  {
    name: 'a legacy prompt',
    requestLine: CHAT,
    body: '{"model":"ember-mini","prompt":"Hi"}',
    status: 400,
    code: 'invalid_request',
    sent: true,
  },
  {
    name: 'the seconds of a video as a number',
    requestLine: 'POST /v1/videos',
    body: '{"model":"h3","task":"ref2va","prompt":"a","seconds":4,"resolution":"480p","conditions":[]}',
    status: 400,
    code: 'invalid_request',
    sent: true,
  },
  {
    name: 'refused stream_options',
    requestLine: CHAT,
    body: '{"model":"harbor/harbor-strict","messages":[{"role":"user","content":"Hi"}],"stream":true,"stream_options":{"include_usage":true}}',
    status: 400,
    code: 'unsupported_parameter',
    sent: true,
  },
];

test.for(ROWS)('with --strict $name is not repaired', async (row, { harness }) => {
  const request = await fillRequest(row, harness);
  const before = requestsAt(harness).length;
  const answer = await sendRaw(harness.port, request.bytes);
  expect(answer.status, answer.body).toBe(row.status);
  expect(JSON.parse(answer.body)).toMatchObject({ error: { code: row.code } });
  expect(answer.body).not.toContain('Did you mean');
  expect(repairCodes(answer)).toEqual([]);
  expect(requestsAt(harness)).toHaveLength(before + (row.sent ? 1 : 0));
  expect(await harness.recordOf(answer.headers.get('x-gatehouse-exchange'))).toMatchObject({
    status: row.status,
    errorCode: row.recordedCode ?? row.code,
    repairs: [],
    attempts: row.sent ? 1 : 0,
    endedBy: row.sent ? 'service' : 'gateway',
  });
  if (!row.sent) return;
  const { url, body } = latestRequest(harness);
  expect(url).toBe(request.target);
  expect(await body).toEqual(Buffer.from(request.body ?? ''));
});

test('with --strict a missing version header is not added', async ({ harness }) => {
  const row = { requestLine: 'POST /v1/messages', lines: ['Content-Type: application/json'] };
  const answer = await sendRaw(harness.port, (await fillRequest(row, harness)).bytes);
  expect(answer.status).toBe(200);
  expect(headerValues(latestRequest(harness).rawHeaders, 'anthropic-version')).toEqual([]);
});

test('with --strict the model list keeps the wrapper of the service', async ({ harness }) => {
  const answer = await sendRaw(
    harness.port,
    (await fillRequest({ requestLine: 'GET /v1/models' }, harness)).bytes,
  );
  expect(JSON.parse(answer.body)).toMatchObject({ models: expect.any(Array) });
  expect(repairCodes(answer)).toEqual([]);
});
