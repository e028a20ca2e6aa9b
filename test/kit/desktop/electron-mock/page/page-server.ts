import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { ReadableStream } from 'node:stream/web';

export type SchemeHandler = (request: Request) => Response | Promise<Response>;

/** Headers of the connection, not of the request. */
const OF_THE_CONNECTION = ['host', 'connection', 'keep-alive', 'upgrade-insecure-requests'];

/**
 * Serves the app's own schemes to a browser that does not know them: `app://ui/x` is at `http://app--ui.localhost:PORT/x`, which
 * browsers treat as secure and find on this machine.
 */
export class PageServer {
  readonly #handlers = new Map<string, SchemeHandler>();
  #port: Promise<number> | null = null;

  handle(scheme: string, handler: SchemeHandler): void {
    if (this.#handlers.has(scheme)) {
      throw new Error(`Failed to register protocol: ${scheme} is handled already`);
    }
    this.#handlers.set(scheme, handler);
  }

  unhandle(scheme: string): void {
    this.#handlers.delete(scheme);
  }

  isHandled(scheme: string): boolean {
    return this.#handlers.has(scheme);
  }

  /** Returns the address at which the browser finds an address of the app. */
  async realUrl(url: string): Promise<string> {
    const { protocol, host, pathname, search, hash } = new URL(url);
    const scheme = protocol.slice(0, -1);
    if (!this.#handlers.has(scheme)) return url;
    this.#port ??= this.#listen();
    return `http://${scheme}--${host}.localhost:${await this.#port}${pathname}${search}${hash}`;
  }

  async #listen(): Promise<number> {
    const server = createServer((request, response) => {
      this.#answer(request, response).catch(() => response.destroy());
    });
    // The server ends with the app and does not keep it alive.
    server.unref();
    const { promise, resolve } = Promise.withResolvers<void>();
    server.listen(0, '127.0.0.1', resolve);
    await promise;
    return portOf(server.address());
  }

  async #answer(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = appUrl(`http://${incoming.headers.host ?? ''}${incoming.url ?? '/'}`);
    const handler = this.#handlers.get(new URL(url).protocol.slice(0, -1));
    if (handler === undefined) {
      response.destroy();
      return;
    }
    const answer = await handler(await requestOf(url, incoming));
    // A page that has left meanwhile is found out about only now: a handler is told nothing of that.
    if (!response.destroyed) response.writeHead(answer.status, Object.fromEntries(answer.headers));
    if (answer.body === null) response.end();
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one stream with two types: the language's library's and Node's
    else load(Readable.fromWeb(answer.body as ReadableStream), response);
  }
}

/** Sends a body as Electron's loader of streams does: piece after piece. When the page leaves it listens no more, then destroys the stream. */
function load(body: Readable, response: ServerResponse): void {
  const take = (): void => {
    for (let piece: unknown = body.read(); piece !== null; piece = body.read()) {
      if (!response.write(piece)) return;
    }
  };
  const end = (): void => void response.end();
  const fail = (): void => void response.destroy();
  const leave = (): void => {
    body.off('readable', take).off('end', end).off('error', fail).destroy();
  };
  if (response.destroyed) return leave();
  body.on('readable', take).on('end', end).on('error', fail);
  response.on('drain', take).on('close', leave);
}

/** The app's own address for what a browser calls it. */
export function appUrl(real: string): string {
  if (real.startsWith('blob:')) return `blob:${appUrl(real.slice('blob:'.length))}`;
  const { hostname, pathname, search, hash } = new URL(real);
  const [, scheme, host] = /^(.+)--(.+)\.localhost$/u.exec(hostname) ?? [];
  return scheme === undefined ? real : `${scheme}://${host ?? ''}${pathname}${search}${hash}`;
}

async function requestOf(url: string, incoming: IncomingMessage): Promise<Request> {
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headersDistinct)) {
    if (!OF_THE_CONNECTION.includes(name)) headers.set(name, (value ?? []).join(', '));
  }
  const method = incoming.method ?? 'GET';
  const hasBody = method !== 'GET' && method !== 'HEAD';
  const body = hasBody ? { body: Uint8Array.from(await buffer(incoming)) } : {};
  return new Request(url, { method, headers, ...body });
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === 'string') throw new Error('No port.');
  return address.port;
}
