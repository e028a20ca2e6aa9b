import type { IncomingMessage, ServerResponse } from 'node:http';
import type { NodeHttpHandleResult } from '@orpc/server/node';
import { setSecurityHeaders, sendJson, sendErrorBody } from './http-responses.ts';
import { readJsonBody } from './json-body.ts';
import { checkOrigin, readRequestOrigin } from './origin-check.ts';
import { isMediaPath, type MediaRegistry, sendMedia } from './media.ts';
import type { Page } from './page.ts';
import type { SignIn } from './sign-in.ts';

export interface WindowHttpHandlerDeps {
  /** Answers a call of a session, whose body is read and parsed, as `body` of the request. */
  readonly rpc: (
    request: IncomingMessage,
    reply: ServerResponse,
    session: string,
  ) => Promise<NodeHttpHandleResult>;
  readonly media: MediaRegistry;
  readonly signIn: SignIn;
  readonly page: Page;
  /** Where clients are served. */
  readonly proxyPort: number;
  /** Told of what nobody planned for. */
  readonly onFault: (error: unknown) => void;
}

const PREFIX = '/rpc';
const NOT_SIGNED_IN = 'This browser is not signed in to Gatehouse, or not any more.';

/** Sends each request where it belongs and knows which are on their way. */
export class WindowHttpHandler {
  readonly #deps: WindowHttpHandlerDeps;
  readonly #running = new Set<Promise<void>>();
  /** Answers of calls and files on their way, with their sessions. */
  readonly #calls = new Map<ServerResponse, string>();

  constructor(deps: WindowHttpHandlerDeps) {
    this.#deps = deps;
  }

  /** Answers a request, whatever happens. */
  handle(request: IncomingMessage, reply: ServerResponse): void {
    // A write that fails is a window that was closed; 'close' tells.
    reply.on('error', () => undefined);
    const work = this.#dispatch(request, reply)
      .catch((error: unknown) => this.#fail(error, reply))
      .finally(() => this.#running.delete(work));
    this.#running.add(work);
  }

  /** Resolves when nothing is on its way. */
  async whenIdle(): Promise<void> {
    await Promise.all(this.#running);
  }

  async #dispatch(request: IncomingMessage, reply: ServerResponse): Promise<void> {
    setSecurityHeaders(reply);
    const refusal = checkOrigin(readRequestOrigin(request));
    if (refusal !== null) return sendError(reply, refusal.status, refusal.sentence);
    const path = (request.url ?? '/').replace(/[?#].*$/su, '');
    if (`${path}/`.startsWith('/v1/')) return sendWrongPort(reply, path, this.#deps.proxyPort);
    if (isProcedurePath(path)) {
      return request.method === 'POST'
        ? await this.#handleCall(request, reply, path)
        : sendMethodNotAllowed(reply, 'POST');
    }
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return sendMethodNotAllowed(reply, 'GET, HEAD');
    if (isMediaPath(path)) return await this.#handleMedia(request, reply);
    // As browsers write it: without the port where HTTP leaves it out.
    const home = new URL(`http://127.0.0.1:${request.socket.localPort}`).host;
    return request.headers.host === home || path.includes('.')
      ? await this.#deps.page.handle(request, reply, path)
      : redirectHome(reply, `http://${home}${request.url ?? '/'}`);
  }

  async #handleCall(request: IncomingMessage, reply: ServerResponse, path: string): Promise<void> {
    const { signIn, media } = this.#deps;
    if (path === '/session') return await signIn.begin(request, reply);
    const session = await signIn.findSession(request);
    if (session === null) return sendError(reply, 401, NOT_SIGNED_IN);
    if (path === '/session/end') {
      await signIn.end(session, request, reply);
      media.revoke(session);
      return this.#endResponses(session);
    }
    await this.#track(reply, session, this.#callProcedure(request, reply, session));
  }

  async #handleMedia(request: IncomingMessage, reply: ServerResponse): Promise<void> {
    const { signIn, media } = this.#deps;
    const session = await signIn.findSessionByCookie(request);
    await this.#track(reply, session ?? '', sendMedia(request, reply, { media, session }));
  }

  async #track(reply: ServerResponse, session: string, work: Promise<void>): Promise<void> {
    this.#calls.set(reply, session);
    try {
      await work;
    } finally {
      this.#calls.delete(reply);
    }
  }

  async #callProcedure(
    request: IncomingMessage,
    reply: ServerResponse,
    session: string,
  ): Promise<void> {
    const body = await readJsonBody(request);
    if ('status' in body) return sendError(reply, body.status, body.sentence);
    // With a body in place the handler reads none: neither size nor type of it are left to what was sent.
    const ready = Object.assign(request, { body: body.value ?? {} });
    const { matched } = await this.#deps.rpc(ready, reply, session);
    if (!matched) sendErrorBody(reply, 404, 'There is no such call. Load the page again.');
  }

  /** Ends what a session that is over still has open. */
  #endResponses(ended: string): void {
    for (const [reply, session] of this.#calls) {
      if (session === ended) reply.destroy();
    }
  }

  #fail(error: unknown, reply: ServerResponse): void {
    // Who left in the middle gets no answer and is no fault.
    if (reply.closed) return;
    this.#deps.onFault(error);
    if (reply.headersSent) reply.destroy();
    else sendError(reply, 500, 'Gatehouse itself failed at this; its log says why.');
  }
}

function isProcedurePath(path: string): boolean {
  return path === '/session' || path === '/session/end' || `${path}/`.startsWith(`${PREFIX}/`);
}

/** Answers a client that was given the window's port, in the error shape of the service (spec section 7). */
function sendWrongPort(reply: ServerResponse, path: string, proxyPort: number): void {
  const message = `This is the port of the window. Clients use http://127.0.0.1:${proxyPort}/v1.`;
  const error = { message, type: 'not_found_error', code: 'unknown_path' };
  reply.setHeader('connection', 'close');
  sendJson(reply, 404, path.startsWith('/v1/messages') ? { type: 'error', error } : { error });
}

/** A browser that was let in is so at one address only, whatever other names this machine has for it. */
function redirectHome(reply: ServerResponse, location: string): void {
  reply.writeHead(307, { location }).end();
}

function sendMethodNotAllowed(reply: ServerResponse, allowed: string): void {
  reply.setHeader('allow', allowed);
  sendError(reply, 405, `Only ${allowed} is understood here.`);
}

/** Answers without reading on: whatever else was sent is dropped with its connection. */
function sendError(reply: ServerResponse, status: number, sentence: string): void {
  reply.setHeader('connection', 'close');
  sendErrorBody(reply, status, sentence);
}
