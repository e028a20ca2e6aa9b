import type { IncomingMessage, ServerResponse } from 'node:http';
import { setSecurityHeaders, sendJson, sendErrorBody } from './http-responses.ts';
import { checkOrigin, readRequestOrigin } from './origin-check.ts';
import { isMediaPath, type MediaRegistry, sendMedia } from './media.ts';
import type { Page } from './page.ts';
import type { SignIn } from './sign-in.ts';

export interface WindowHttpHandlerDeps {
  /** Answers a call of a session. */
  readonly call: (
    request: IncomingMessage,
    response: ServerResponse,
    session: string,
  ) => Promise<void>;
  readonly media: MediaRegistry;
  readonly signIn: SignIn;
  readonly page: Page;
  /** Port of the proxy for clients. */
  readonly proxyPort: number;
  /** Called with unexpected errors. */
  readonly onFault: (error: unknown) => void;
}

const PREFIX = '/rpc';
const NOT_SIGNED_IN = 'This browser is not signed in to Gatehouse.';

/** Routes each request of the window and tracks the open responses. */
export class WindowHttpHandler {
  readonly #deps: WindowHttpHandlerDeps;
  readonly #running = new Set<Promise<void>>();
  /** Open responses of calls and files, with their sessions. */
  readonly #calls = new Map<ServerResponse, string>();

  constructor(deps: WindowHttpHandlerDeps) {
    this.#deps = deps;
  }

  /** Handles a request; never throws. */
  handle(request: IncomingMessage, response: ServerResponse): void {
    // A failed write means that the window was closed; 'close' reports it.
    response.on('error', () => undefined);
    const work = this.#dispatch(request, response)
      .catch((error: unknown) => this.#fail(error, response))
      .finally(() => this.#running.delete(work));
    this.#running.add(work);
  }

  /** Resolves when no response is open. */
  async whenIdle(): Promise<void> {
    await Promise.all(this.#running);
  }

  async #dispatch(request: IncomingMessage, response: ServerResponse): Promise<void> {
    setSecurityHeaders(response);
    const refusal = checkOrigin(readRequestOrigin(request));
    if (refusal !== null) return sendError(response, refusal.status, refusal.sentence);
    const path = (request.url ?? '/').replace(/[?#].*$/su, '');
    if (`${path}/`.startsWith('/v1/')) return sendWrongPort(response, path, this.#deps.proxyPort);
    if (isProcedurePath(path)) {
      return request.method === 'POST'
        ? await this.#handleCall(request, response, path)
        : sendMethodNotAllowed(response, 'POST');
    }
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return sendMethodNotAllowed(response, 'GET, HEAD');
    if (isMediaPath(path)) return await this.#handleMedia(request, response);
    // Written as browsers do: without the port where it is the default of HTTP.
    const home = new URL(`http://127.0.0.1:${request.socket.localPort}`).host;
    return request.headers.host === home || path.includes('.')
      ? await this.#deps.page.handle(request, response, path)
      : redirectHome(response, `http://${home}${request.url ?? '/'}`);
  }

  async #handleCall(
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
  ): Promise<void> {
    const { signIn, media } = this.#deps;
    if (path === '/session') return await signIn.begin(request, response);
    const session = await signIn.findSession(request);
    if (session === null) return sendError(response, 401, NOT_SIGNED_IN);
    if (path === '/session/end') {
      await signIn.end(session, request, response);
      media.revoke(session);
      return this.#endResponses(session);
    }
    await this.#track(response, session, this.#deps.call(request, response, session));
  }

  async #handleMedia(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { signIn, media } = this.#deps;
    const session = await signIn.findSessionByCookie(request);
    await this.#track(response, session ?? '', sendMedia(request, response, { media, session }));
  }

  async #track(response: ServerResponse, session: string, work: Promise<void>): Promise<void> {
    this.#calls.set(response, session);
    try {
      await work;
    } finally {
      this.#calls.delete(response);
    }
  }

  /** Ends the open responses of a session that has ended. */
  #endResponses(ended: string): void {
    for (const [response, session] of this.#calls) {
      if (session === ended) response.destroy();
    }
  }

  #fail(error: unknown, response: ServerResponse): void {
    // A client that disconnected gets no answer, and this is no fault.
    if (response.closed) return;
    this.#deps.onFault(error);
    if (response.headersSent) response.destroy();
    else sendError(response, 500, 'Gatehouse had an internal error. Its log says why.');
  }
}

function isProcedurePath(path: string): boolean {
  return path === '/session' || path === '/session/end' || `${path}/`.startsWith(`${PREFIX}/`);
}

/** Responds to a client that was configured with the window's port, in the error format of the service (spec section 7). */
function sendWrongPort(response: ServerResponse, path: string, proxyPort: number): void {
  const message = `This is the port of the window. Clients use http://127.0.0.1:${proxyPort}/v1.`;
  const error = { message, type: 'not_found_error', code: 'unknown_path' };
  response.setHeader('connection', 'close');
  sendJson(response, 404, path.startsWith('/v1/messages') ? { type: 'error', error } : { error });
}

/** Redirects to the one address at which a browser is signed in, whatever other names this machine has. */
function redirectHome(response: ServerResponse, location: string): void {
  response.writeHead(307, { location }).end();
}

function sendMethodNotAllowed(response: ServerResponse, allowed: string): void {
  response.setHeader('allow', allowed);
  sendError(response, 405, `Only ${allowed} is understood here.`);
}

/** Responds without reading the rest of the request, which is dropped with its connection. */
function sendError(response: ServerResponse, status: number, sentence: string): void {
  response.setHeader('connection', 'close');
  sendErrorBody(response, status, sentence);
}
