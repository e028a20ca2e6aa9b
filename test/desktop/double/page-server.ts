import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export type SchemeHandler = (request: Request) => Response | Promise<Response>;

/** Of the connection, not of the request. */
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

  /** Where the browser finds an address of the app. */
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
    // It lives as long as the app, and does not keep it alive.
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
    const left = new AbortController();
    response.on('close', () => left.abort());
    const answer = await handler(await requestOf(url, incoming, left.signal));
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    for await (const piece of answer.body ?? []) {
      if (!response.write(piece)) await once(response, 'drain', { signal: left.signal });
    }
    response.end();
  }
}

/** The app's own address for what a browser calls it. */
export function appUrl(real: string): string {
  if (real.startsWith('blob:')) return `blob:${appUrl(real.slice('blob:'.length))}`;
  const { hostname, pathname, search, hash } = new URL(real);
  const [, scheme, host] = /^(.+)--(.+)\.localhost$/u.exec(hostname) ?? [];
  return scheme === undefined ? real : `${scheme}://${host ?? ''}${pathname}${search}${hash}`;
}

async function requestOf(
  url: string,
  incoming: IncomingMessage,
  signal: AbortSignal,
): Promise<Request> {
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headersDistinct)) {
    if (!OF_THE_CONNECTION.includes(name)) headers.set(name, (value ?? []).join(', '));
  }
  const method = incoming.method ?? 'GET';
  const hasBody = method !== 'GET' && method !== 'HEAD';
  const body = hasBody ? { body: Uint8Array.from(await buffer(incoming)) } : {};
  return new Request(url, { method, headers, signal, ...body });
}

function portOf(address: AddressInfo | string | null): number {
  if (address === null || typeof address === 'string') throw new Error('No port.');
  return address.port;
}
