import { once } from 'node:events';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as ask,
  type ServerResponse,
} from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import type { Sandbox } from '../../../../sandbox/server.ts';

/** The service as the engine sees it: a proxy to the sandbox that adds faults of a scenario. */
export interface ServiceFront extends AsyncDisposable {
  /** Its base address. */
  readonly url: string;
  /** Prompts of orders whose responses are delayed now. */
  readonly holding: ReadonlySet<string>;
  /** Sends the delayed responses. */
  release(): void;
}

export interface FrontOptions {
  readonly sandbox: Sandbox;
  /** Address of an image that the sandbox has, for orders that came as a form. */
  readonly imageUrl: string;
  /** Number of requests for the model list that get 500 at first. */
  readonly failedLists: number;
  /** Called when the response to an order is delayed. */
  readonly onHeld: () => void;
}

/** Id of the video model in the list; clients name only the part behind the slash. */
const FULL_NAME = 'vendor/h3';
const SHORT_NAME = 'h3';

const ORDERS = '/v1/videos';
const JSON_TYPE = 'application/json';

/** Marker in a prompt: the first order with it gets this status, and nothing is charged. */
export const REFUSES = (status: number): string => `[front refuses ${status}]`;
/** Marker in a prompt: the response to the first order with it is delayed. */
export const HOLDS = '[front holds]';

/** Starts the service on 127.0.0.1. */
export async function openServiceFront(options: FrontOptions): Promise<ServiceFront> {
  const service = new Service(options);
  const server = createServer({ keepAliveTimeout: 65_000 }, (request, response) => {
    service.answer(request, response).catch(() => response.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port.');
  return {
    url: `http://127.0.0.1:${address.port}`,
    holding: service.holding,
    release: () => service.release(),
    [Symbol.asyncDispose]: async () => {
      service.release();
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

interface Passing {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly body: Buffer;
  /** Awaited before the response is sent. */
  readonly before?: (() => Promise<void>) | undefined;
}

class Service {
  readonly holding = new Set<string>();
  readonly #options: FrontOptions;
  readonly #refused = new Set<string>();
  readonly #held = new Set<string>();
  #failedLists = 0;
  #released = Promise.withResolvers<void>();

  constructor(options: FrontOptions) {
    this.#options = options;
  }

  release(): void {
    this.#released.resolve();
    this.#released = Promise.withResolvers<void>();
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const what = `${request.method} ${request.url}`;
    if (what === 'GET /v1/models') await this.#list(request, response);
    else if (what === `POST ${ORDERS}`) await this.#order(request, response);
    else await this.#pass({ request, response, body: await buffer(request) });
  }

  async #list({ headers }: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.#failedLists < this.#options.failedLists) {
      this.#failedLists += 1;
      refuse(response, 500);
      return;
    }
    const { authorization = '' } = headers;
    const answer = await fetch(`${this.#options.sandbox.url}/v1/models`, {
      headers: { authorization },
    });
    const list = (await answer.text()).replaceAll(`"${SHORT_NAME}"`, `"${FULL_NAME}"`);
    response.writeHead(answer.status, { 'content-type': JSON_TYPE }).end(list);
  }

  async #order(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await this.#read(request.headers, await buffer(request));
    const prompt = String(body['prompt']);
    const refusal = /\[front refuses (\d+)\]/u.exec(prompt)?.[1];
    if (refusal !== undefined && !this.#refused.has(prompt)) {
      this.#refused.add(prompt);
      refuse(response, Number(refusal));
      return;
    }
    const holds = prompt.includes(HOLDS) && !this.#held.has(prompt);
    this.#held.add(prompt);
    const json = Buffer.from(JSON.stringify(body));
    const before = holds ? () => this.#hold(prompt) : undefined;
    await this.#pass({ request, response, body: json, before });
  }

  async #hold(prompt: string): Promise<void> {
    const released = this.#released.promise;
    this.holding.add(prompt);
    this.#options.onHeld();
    await released;
    this.holding.delete(prompt);
  }

  /** Converts an order to the JSON that the sandbox accepts, because this service also accepts forms and compressed bodies. */
  async #read(headers: IncomingHttpHeaders, bytes: Buffer): Promise<Record<string, unknown>> {
    const plain = headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes;
    const type = headers['content-type'] ?? '';
    const body: Record<string, unknown> = type.startsWith('multipart/')
      ? await this.#readForm(plain, type)
      : JSON.parse(plain.toString());
    return { ...body, model: body['model'] === FULL_NAME ? SHORT_NAME : body['model'] };
  }

  async #readForm(bytes: Buffer, type: string): Promise<Record<string, unknown>> {
    const sent = new Response(new Uint8Array(bytes), { headers: { 'content-type': type } });
    const fields = [...(await sent.formData())].filter(([, value]) => typeof value === 'string');
    const conditions = [{ type: 'image', url: this.#options.imageUrl }];
    return { ...Object.fromEntries(fields), conditions };
  }

  /** Breaks off when the sandbox breaks off. A request that arrived complete continues after the engine is gone. */
  async #pass({ request, response, body, before }: Passing): Promise<void> {
    const { method, url, headers } = request;
    const { authorization, 'content-type': type } = headers;
    const passed = {
      ...(authorization === undefined ? {} : { authorization }),
      ...(type === undefined ? {} : { 'content-type': request.url === ORDERS ? JSON_TYPE : type }),
      ...(headers.range === undefined ? {} : { range: headers.range }),
      'content-length': String(body.length),
    };
    const passing = ask(`${this.#options.sandbox.url}${url}`, { method, headers: passed });
    const answered = once(passing, 'response');
    passing.end(body);
    const [answer]: unknown[] = await answered;
    if (!isAnswer(answer)) throw new Error('That is no answer.');
    await before?.();
    response.writeHead(answer.statusCode ?? 500, answer.rawHeaders);
    answer.once('aborted', () => response.destroy());
    answer.on('error', () => response.destroy());
    answer.pipe(response);
  }
}

function isAnswer(value: unknown): value is IncomingMessage {
  return value instanceof Object && 'statusCode' in value;
}

function refuse(response: ServerResponse, status: number): void {
  const error = { code: status === 429 ? 'rate_limit_exceeded' : 'refused', message: 'Refused.' };
  response.writeHead(status, { 'content-type': JSON_TYPE });
  response.end(JSON.stringify({ error }));
}
