import type { Harness } from './harness.ts';
import { dial, type RawAnswer, sendRaw } from '../net/raw-http.ts';
import { RawConnection } from '../net/raw-connection.ts';

/** Address of a gateway, and a local key that it knows. */
export type ClientTarget = Pick<Harness, 'port' | 'localKey'>;

/** Parts of a request; the defaults are those of a correct client. */
export interface RawRequest {
  /** The default is POST with a body, GET without. */
  readonly method?: string;
  readonly path?: string;
  /** Header lines after Host and the credential. */
  readonly headers?: readonly string[];
  /** Text is encoded as UTF-8. */
  readonly body?: string | Buffer;
  /** Keeps the connection open for another request. */
  readonly keepAlive?: boolean;
}

/** Builds the bytes of a request with a valid local key. */
export function requestBytes({ port, localKey }: ClientTarget, request: RawRequest): Buffer {
  const body = request.body === undefined ? null : Buffer.from(request.body);
  const lines = [
    `${request.method ?? (body === null ? 'GET' : 'POST')} ${request.path ?? '/v1/models'} HTTP/1.1`,
    `Host: 127.0.0.1:${port}`,
    `Authorization: Bearer ${localKey}`,
    ...(request.headers ?? []),
    ...(body === null ? [] : [`Content-Length: ${body.length}`]),
    ...(request.keepAlive === true ? [] : ['Connection: close']),
  ];
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  return body === null ? head : Buffer.concat([head, body]);
}

/** Sends one request and reads its complete response. */
export async function sendRequest(harness: ClientTarget, request: RawRequest): Promise<RawAnswer> {
  return await sendRaw(harness.port, requestBytes(harness, request));
}

/** Sends one request without reading the response. */
export async function beginRequest(
  harness: ClientTarget,
  request: RawRequest,
): Promise<RawConnection> {
  const connection = new RawConnection(await dial(harness.port));
  connection.send(requestBytes(harness, request));
  return connection;
}

/** The three protocols, each with a question to a model of the sandbox. */
export const PROTOCOLS = ['chat', 'responses', 'messages'] as const;
export type ProtocolName = (typeof PROTOCOLS)[number];

const PATHS = {
  chat: '/v1/chat/completions',
  responses: '/v1/responses',
  messages: '/v1/messages',
} as const satisfies Record<ProtocolName, string>;

export interface Question {
  readonly stream?: boolean;
  readonly model?: string;
  readonly headers?: readonly string[];
  readonly keepAlive?: boolean;
  readonly text?: string;
}

/** Builds a question in one of the protocols. */
export function question(protocol: ProtocolName, options: Question = {}): RawRequest {
  const { stream = false, model = 'aurora/aurora-small', text = 'Hallo, wie geht es?' } = options;
  const messages = [{ role: 'user', content: text }];
  const content = {
    chat: { messages, ...(stream ? { stream_options: { include_usage: true } } : {}) },
    responses: { input: text },
    messages: { messages, max_tokens: 1000 },
  }[protocol];
  return {
    path: PATHS[protocol],
    headers: [
      'Content-Type: application/json',
      'anthropic-version: 2023-06-01',
      ...(options.headers ?? []),
    ],
    body: JSON.stringify({ model, stream, ...content }),
    keepAlive: options.keepAlive ?? false,
  };
}

/** Returns the head of a request with a valid local key, for bodies that are sent separately. */
export function requestHead(
  harness: Harness,
  line: string,
  headers: readonly string[] = [],
): string {
  const own = [`Host: 127.0.0.1:${harness.port}`, `Authorization: Bearer ${harness.localKey}`];
  return `${[line, ...own, ...headers].join('\r\n')}\r\n\r\n`;
}
