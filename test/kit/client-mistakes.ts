import { SCENARIOS } from '../../sandbox/scenarios/scenario.ts';
import { sendRaw } from './net/raw-http.ts';
import {
  type RawRequest,
  sendRequest,
  beginRequest,
  type ClientTarget,
  PROTOCOLS,
  question,
} from './gateway/request.ts';

const JSON_TYPE = 'Content-Type: application/json';

/** Sandbox parameters that make the slow scenarios fast. */
const QUICK: Readonly<Record<string, number>> = {
  'slow-first-byte': 1,
  'slow-stream': 1,
  'silent-stream': 1,
  'huge-answer': 1,
  burst: 20,
  'rate-limit': 1,
};

/**
 * Uses a gateway in every correct and incorrect way: each route, each scenario in each protocol, each repair, each rejection, and the
 * service key itself in each part of a request. Resolves with all bytes of the responses (latin1).
 */
export async function sendClientMistakes(
  target: ClientTarget,
  serviceKey: string,
): Promise<readonly string[]> {
  const asks = [...routes(), ...scenarios(), ...repairs(), ...misplacedKeys(serviceKey)];
  const others = asks.filter((request) => !isThrottled(request));
  const answers = await Promise.all(others.map((request) => sendRequest(target, request)));
  const refused = await Promise.all(
    refusals(target, serviceKey).map((text) => sendRaw(target.port, Buffer.from(text, 'latin1'))),
  );
  const left = await abortStream(target);
  // These come last, because they slow down all later requests to the service.
  const throttled = await Promise.all(
    asks.filter(isThrottled).map((request) => sendRequest(target, request)),
  );
  return [...[...answers, ...refused, ...throttled].map(({ raw }) => raw), left];
}

/** Returns whether the service itself is expected to reject the request. */
function isThrottled({ headers = [] }: RawRequest): boolean {
  return headers.some((line) => line.includes('rate-limit'));
}

function routes(): readonly RawRequest[] {
  const form =
    '--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nb\r\n--x--\r\n';
  return [
    {},
    { path: '/v1/models/ember-mini' },
    ...PROTOCOLS.flatMap((protocol) => [question(protocol), question(protocol, { stream: true })]),
    { path: '/v1/files', headers: ['Content-Type: multipart/form-data; boundary=x'], body: form },
    { path: '/v1/videos', headers: [JSON_TYPE], body: '{"model":"h3"}' },
    { path: '/v1/videos/none' },
    { path: '/v1/videos/none/content' },
    { path: '/v1/other', headers: [JSON_TYPE], body: '{}' },
    { method: 'DELETE', path: '/v1/other' },
    { path: '/' },
    { path: '/health' },
  ];
}

function scenarios(): readonly RawRequest[] {
  const names = SCENARIOS.map(({ name }) => name).filter((name) => name !== 'keep-open');
  return names.flatMap((name) =>
    PROTOCOLS.flatMap((protocol) =>
      [true, false].map((stream) => {
        const number = QUICK[name] === undefined ? '' : `=${QUICK[name]}`;
        const headers = [
          `x-sandbox-scenario: ${name}${number}`,
          `x-sandbox-token: ${protocol} ${stream}`,
          'Accept-Encoding: gzip',
        ];
        return question(protocol, { stream, headers });
      }),
    ),
  );
}

function misspelt(fields: object): string {
  return JSON.stringify({ model: 'AURORA-small', ...fields });
}

function repairs(): readonly RawRequest[] {
  return [
    { path: '/v1/v1/chat/completions/chat/completions', body: misspelt({ prompt: 'p' }) },
    { path: '/openai//V1/Chat/Completions/', body: misspelt({ messages: [] }) },
    { path: '/messages', body: misspelt({ messages: [], max_tokens: 1 }) },
    { path: '/v1/videos', body: JSON.stringify({ model: 'h3', seconds: 4 }) },
    question('chat', { model: 'harbor/harbor-strict', stream: true }),
    question('chat', { model: 'aurora' }),
    { path: '/v1/chat/completions', headers: ['Content-Encoding: gzip'], body: 'no gzip' },
    { path: '/v1/chat/completions', headers: [JSON_TYPE], body: 'no json' },
    { path: '/v1/nowhere/../x' },
  ];
}

/** Requests with the service key where a client may put it by mistake, beside a valid local key. */
function misplacedKeys(serviceKey: string): readonly RawRequest[] {
  const encoded = encodeURIComponent(serviceKey);
  return [
    { headers: [`x-api-key: ${serviceKey}`] },
    { headers: [`api-key: ${serviceKey}`, `Authorization: Bearer ${serviceKey}`] },
    { headers: [`User-Agent: ${serviceKey}`, `session-id: ${serviceKey}`] },
    { path: `/v1/models?key=${encoded}&api_key=${encoded}&other=${encoded}` },
    { path: `/v1/files/${encoded}` },
    { path: `/v1/videos/${encoded}/content` },
    question('chat', { model: serviceKey }),
    question('messages', { model: serviceKey, headers: [`anthropic-beta: ${serviceKey}`] }),
  ];
}

function refusals({ port, localKey }: ClientTarget, serviceKey: string): readonly string[] {
  const host = `Host: 127.0.0.1:${port}`;
  const own = `Authorization: Bearer ${localKey}`;
  const query = `?key=${encodeURIComponent(localKey)}&api_key=${encodeURIComponent(serviceKey)}`;
  const heads = [
    ['GET /v1/models HTTP/1.1', host],
    ['GET /v1/models HTTP/1.1', host, `Authorization: Bearer ${serviceKey}`],
    ['POST /v1/messages HTTP/1.1', host, `x-api-key: ${serviceKey}`, 'Content-Length: 0'],
    ['GET /v1/models HTTP/1.1', host, `Authorization: Bearer ${localKey.slice(0, -1)}`],
    [`GET /v1/models${query} HTTP/1.1`, 'Host: evil.example', own],
    [`GET /v1/models${query} HTTP/1.1`, host, 'Origin: https://evil.example', own],
    [`GET http://evil.example/v1/models${query} HTTP/1.1`, host, own],
    [`CONNECT evil.example:443 HTTP/1.1`, host, own],
    [`GET /nowhere${query} HTTP/1.1`, host],
    [`GET /v1/responses${query} HTTP/1.1`, host, own, 'Upgrade: websocket', 'Connection: upgrade'],
    ['POST /v1/chat/completions HTTP/1.1', host, own, 'Content-Length: 99999999'],
    ['GET /v1/models HTTP/1.1', host, own, 'Bad Header'],
  ];
  return heads.map((lines) => `${[...lines, 'Connection: close'].join('\r\n')}\r\n\r\n`);
}

/** Starts a stream that never ends by itself, and disconnects. */
async function abortStream(target: ClientTarget): Promise<string> {
  const headers = ['x-sandbox-scenario: keep-open'];
  const client = await beginRequest(target, question('chat', { stream: true, headers }));
  const seen = await client.until('[DONE]');
  client.socket.destroy();
  return seen;
}
