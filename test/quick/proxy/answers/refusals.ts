import zlib from 'node:zlib';
import type { ProblemCode } from '../../../../shared/problem.ts';
import type { Harness } from '../../../kit/gateway/harness.ts';

/** A request that Gatehouse refuses, with the expected code. */
export interface Refusal {
  readonly name: string;
  /** Request line without the version, and the first header lines. `{port}`, `{key}` and `{service}` are replaced. */
  readonly head: readonly [ask: string, ...lines: string[]];
  /** The Host line; defaults to the right one, none when empty. */
  readonly host?: string;
  readonly body?: string | Buffer;
  /** A body sent as one chunk, without a content length. */
  readonly chunked?: string;
  readonly code: ProblemCode;
  readonly shape?: 'messages';
  /** Additional headers of the answer. */
  readonly extra?: Readonly<Record<string, string>>;
  /** A part of the message. */
  readonly says?: string;
}

const KEY = 'Authorization: Bearer {key}';
const JSON_LINE = 'Content-Type: application/json';
const ASKS_FOR_KEY = { 'www-authenticate': 'Bearer realm="Gatehouse"' };
/** 65 MiB of spaces, compressed to a few kilobytes. */
const BOMB = zlib.gzipSync(Buffer.alloc(65 * 1024 * 1024, ' '));

const PART = '--part\r\nContent-Disposition: form-data; name="a"\r\n\r\nb\r\n';

export const REFUSALS: readonly Refusal[] = [
  {
    name: 'an absolute URL as target',
    head: ['GET http://service.example/v1/models', KEY],
    code: 'absolute_target',
  },
  { name: 'CONNECT', head: ['CONNECT 127.0.0.1:443', KEY], code: 'absolute_target' },
  {
    name: 'a path with dot segments',
    head: ['GET /v1/files/../models', KEY],
    code: 'invalid_path',
  },
  {
    name: 'a path with encoded dot segments',
    head: ['GET /v1/%2e%2E%2fadmin', KEY],
    code: 'invalid_path',
  },
  ...[
    '/v1/..;/admin',
    '/v1/..;a=b/admin',
    '/v1/..%3b/admin',
    '/v1/.;/models',
    '/v1/..%20/admin',
    '/v1/%252e%252e/admin',
    '/v1/%25252e%25252e%25252fadmin',
    '/v1/%25%32%65%25%32%65/admin',
    '/v1/files/%2525252525252525252e',
    '/v1/x%255c..%255cadmin',
    '/v1/files/a%250ab',
  ].map((path): Refusal => ({
    name: `the ambiguous path ${path}`,
    head: [`GET ${path}`, KEY],
    code: 'invalid_path',
  })),
  {
    name: 'a body with invalid compression',
    head: ['POST /v1/chat/completions', KEY, JSON_LINE, 'Content-Encoding: gzip'],
    body: '{}',
    code: 'undecodable_body',
  },
  {
    name: 'an unknown content coding',
    head: ['POST /v1/messages', KEY, JSON_LINE, 'Content-Encoding: rot13'],
    body: '{}',
    code: 'undecodable_body',
    shape: 'messages',
    says: 'rot13',
  },
  { name: 'no key', head: ['GET /v1/models'], code: 'missing_local_key', extra: ASKS_FOR_KEY },
  {
    name: 'no key on a Messages route',
    head: ['POST /v1/messages', JSON_LINE],
    body: '{}',
    code: 'missing_local_key',
    shape: 'messages',
    extra: ASKS_FOR_KEY,
  },
  {
    name: 'a scheme without a key',
    head: ['GET /v1/models', 'Authorization: Bearer'],
    code: 'malformed_local_key',
    says: 'the word Bearer, one space',
    extra: ASKS_FOR_KEY,
  },
  {
    name: 'only quotes as key',
    head: ['GET /v1/models', 'x-api-key: ""'],
    code: 'malformed_local_key',
    extra: ASKS_FOR_KEY,
  },
  {
    name: 'an unknown key',
    head: ['GET /v1/models', 'Authorization: Bearer gh-unknown'],
    code: 'invalid_local_key',
    extra: ASKS_FOR_KEY,
  },
  {
    name: 'the service key instead of a local key',
    head: ['GET /v1/models', 'Authorization: Bearer {service}'],
    code: 'invalid_local_key',
    says: 'remove the service key',
  },
  {
    name: 'a page of a foreign origin',
    head: ['GET /v1/models', KEY, 'Origin: https://evil.example'],
    code: 'origin_not_allowed',
    says: 'evil.example',
  },
  {
    name: 'a page without an origin',
    head: ['GET /v1/models', KEY, 'Origin: null'],
    code: 'origin_not_allowed',
  },
  {
    name: 'a preflight of a foreign origin',
    head: [
      'OPTIONS /v1/models',
      'Origin: https://evil.example',
      'Access-Control-Request-Method: POST',
    ],
    code: 'origin_not_allowed',
  },
  {
    name: 'a probe of a foreign origin',
    head: ['GET /health', 'Origin: https://evil.example'],
    code: 'origin_not_allowed',
  },
  ...['gzip, chunked', 'deflate, chunked', 'x-own, chunked', 'gzip', 'identity'].map(
    (coding): Refusal => ({
      name: `the transfer coding ${coding}`,
      head: ['POST /v1/chat/completions', KEY, JSON_LINE, `Transfer-Encoding: ${coding}`],
      chunked: '{}',
      code: 'transfer_coding_not_supported',
    }),
  ),
  { name: 'an unknown path', head: ['GET /dashboard', KEY], code: 'unknown_path' },
  {
    name: 'a path of an endpoint under /v1',
    head: ['POST /embeddings', KEY, JSON_LINE],
    body: '{}',
    code: 'unknown_path',
    says: 'Did you mean /v1/embeddings?',
  },
  {
    name: 'a path of another service',
    head: ['GET /api/tags', KEY],
    code: 'unknown_path',
    says: 'Did you mean /v1/models?',
  },
  {
    name: 'a body with a too large content length',
    head: ['POST /v1/messages', KEY, JSON_LINE, `Content-Length: ${64 * 1024 * 1024 + 1}`],
    code: 'body_too_large',
    shape: 'messages',
  },
  {
    name: 'a body that is too large after decompression',
    head: ['POST /v1/responses', KEY, JSON_LINE, 'Content-Encoding: gzip'],
    body: BOMB,
    code: 'body_too_large',
  },
  {
    name: 'JSON that consists of nested lists',
    head: ['POST /v1/chat/completions', KEY, JSON_LINE],
    body: Buffer.alloc(8 * 1024 * 1024, '['),
    code: 'body_too_complex',
    says: 'nested more than 512 levels deep',
  },
  {
    name: 'JSON with one deeply nested member',
    head: ['POST /v1/messages', KEY, JSON_LINE],
    body: `{"model":"m","messages":${'['.repeat(600)}${']'.repeat(600)}}`,
    code: 'body_too_complex',
    shape: 'messages',
  },
  {
    name: 'JSON with a million members',
    head: ['POST /v1/responses', KEY, JSON_LINE],
    body: `{${'"a":1,'.repeat(1_000_000)}"model":"m"}`,
    code: 'body_too_complex',
    says: 'more than 10000 top-level members',
  },
  {
    name: 'a video order with a million values',
    head: ['POST /v1/videos', KEY, JSON_LINE],
    body: `{"model":"h3","conditions":[${'1,'.repeat(1_000_000)}1]}`,
    code: 'body_too_complex',
    says: 'more than 20000 values',
  },
  {
    name: 'a form with 300,000 parts',
    head: ['POST /v1/videos', KEY, 'Content-Type: multipart/form-data; boundary=part'],
    body: `${PART.repeat(300_000)}--part--\r\n`,
    code: 'body_too_complex',
    says: 'more than 500 parts',
  },
  {
    name: 'a form with a million headers in a part',
    head: ['POST /v1/videos', KEY, 'Content-Type: multipart/form-data; boundary=part'],
    body: `--part\r\n${'x: y\r\n'.repeat(1_000_000)}\r\nb\r\n--part--\r\n`,
    code: 'body_too_complex',
    says: 'headers of more than 16 KiB',
  },
  {
    name: 'a foreign host',
    host: 'Host: evil.example:{port}',
    head: ['GET /v1/models', KEY],
    code: 'host_not_allowed',
    says: 'evil.example',
  },
  {
    name: 'a foreign port',
    host: 'Host: 127.0.0.1:1',
    head: ['GET /v1/models', KEY],
    code: 'host_not_allowed',
  },
  { name: 'no host', host: '', head: ['GET /health'], code: 'host_not_allowed' },
  {
    name: 'a WebSocket',
    head: [
      'GET /v1/responses',
      KEY,
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      'OpenAI-Beta: responses_websockets=2026-02-06',
    ],
    code: 'upgrade_not_supported',
    extra: { upgrade: 'HTTP/1.1' },
  },
];

/** Returns the bytes of such a request. */
export function refusalBytes(
  { head, host, body, chunked }: Refusal,
  { port, localKey, sandbox }: Harness,
): Buffer {
  const [asked, ...lines] = head;
  const length = body === undefined ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
  const text = [
    `${asked} HTTP/1.1`,
    host ?? 'Host: 127.0.0.1:{port}',
    'Connection: close',
    ...lines,
    ...length,
  ]
    .filter((line) => line !== '')
    .join('\r\n')
    .replaceAll('{port}', String(port))
    .replaceAll('{key}', localKey)
    .replaceAll('{service}', sandbox.key);
  const chunks =
    chunked === undefined ? '' : `${chunked.length.toString(16)}\r\n${chunked}\r\n0\r\n\r\n`;
  return Buffer.concat([Buffer.from(`${text}\r\n\r\n${chunks}`), Buffer.from(body ?? '')]);
}
