import type { IncomingMessage, ServerResponse } from 'node:http';
import type { NodeHttpHandleResult } from '@orpc/server/node';
import { guardAnswer, sayJson, sayProblem } from './answers.ts';
import { readJson } from './body.ts';
import { judge, knockOf } from './gate.ts';
import { isMedia, type Media, sendMedia } from './media.ts';
import type { Page } from './page.ts';
import type { SignIn } from './sign-in.ts';

export interface DeskParts {
  /** Answers a call of a session, whose body is read and parsed, as `body` of the request. */
  readonly rpc: (
    request: IncomingMessage,
    reply: ServerResponse,
    session: string,
  ) => Promise<NodeHttpHandleResult>;
  readonly media: Media;
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
export class Desk {
  readonly #parts: DeskParts;
  readonly #running = new Set<Promise<void>>();
  /** Answers of calls and files on their way, with their sessions. */
  readonly #calls = new Map<ServerResponse, string>();

  constructor(parts: DeskParts) {
    this.#parts = parts;
  }

  /** Answers a request, whatever happens. */
  take(request: IncomingMessage, reply: ServerResponse): void {
    // A write that fails is a window that was closed; 'close' tells.
    reply.on('error', () => undefined);
    const work = this.#answer(request, reply)
      .catch((error: unknown) => this.#fail(error, reply))
      .finally(() => this.#running.delete(work));
    this.#running.add(work);
  }

  /** Resolves when nothing is on its way. */
  async quiet(): Promise<void> {
    await Promise.all(this.#running);
  }

  async #answer(request: IncomingMessage, reply: ServerResponse): Promise<void> {
    guardAnswer(reply);
    const refusal = judge(knockOf(request));
    if (refusal !== null) return turnAway(reply, refusal.status, refusal.sentence);
    const path = (request.url ?? '/').replace(/[?#].*$/su, '');
    if (`${path}/`.startsWith('/v1/')) return sayWrongPort(reply, path, this.#parts.proxyPort);
    if (isCall(path)) {
      return request.method === 'POST'
        ? await this.#answerCall(request, reply, path)
        : sayMethod(reply, 'POST');
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') return sayMethod(reply, 'GET, HEAD');
    if (isMedia(path)) return await this.#answerMedia(request, reply);
    // As browsers write it: without the port where HTTP leaves it out.
    const home = new URL(`http://127.0.0.1:${request.socket.localPort}`).host;
    return request.headers.host === home || path.includes('.')
      ? await this.#parts.page.answer(request, reply, path)
      : sendHome(reply, `http://${home}${request.url ?? '/'}`);
  }

  async #answerCall(request: IncomingMessage, reply: ServerResponse, path: string): Promise<void> {
    const { signIn, media } = this.#parts;
    if (path === '/session') return await signIn.begin(request, reply);
    const session = await signIn.sessionOf(request);
    if (session === null) return turnAway(reply, 401, NOT_SIGNED_IN);
    if (path === '/session/end') {
      await signIn.end(session, request, reply);
      media.forget(session);
      return this.#cut(session);
    }
    await this.#during(reply, session, this.#callProcedure(request, reply, session));
  }

  async #answerMedia(request: IncomingMessage, reply: ServerResponse): Promise<void> {
    const { signIn, media } = this.#parts;
    const session = await signIn.holderOf(request);
    await this.#during(reply, session ?? '', sendMedia(request, reply, { media, session }));
  }

  async #during(reply: ServerResponse, session: string, work: Promise<void>): Promise<void> {
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
    const body = await readJson(request);
    if ('status' in body) return turnAway(reply, body.status, body.sentence);
    // With a body in place the handler reads none: neither size nor type of it are left to what was sent.
    const ready = Object.assign(request, { body: body.value ?? {} });
    const { matched } = await this.#parts.rpc(ready, reply, session);
    if (!matched) sayProblem(reply, 404, 'There is no such call. Load the page again.');
  }

  /** Ends what a session that is over still has open. */
  #cut(ended: string): void {
    for (const [reply, session] of this.#calls) {
      if (session === ended) reply.destroy();
    }
  }

  #fail(error: unknown, reply: ServerResponse): void {
    // Who left in the middle gets no answer and is no fault.
    if (reply.closed) return;
    this.#parts.onFault(error);
    if (reply.headersSent) reply.destroy();
    else turnAway(reply, 500, 'Gatehouse itself failed at this; its log says why.');
  }
}

function isCall(path: string): boolean {
  return path === '/session' || path === '/session/end' || `${path}/`.startsWith(`${PREFIX}/`);
}

/** Answers a client that was given the window's port, in the error shape of the service (spec section 7). */
function sayWrongPort(reply: ServerResponse, path: string, proxyPort: number): void {
  const message = `This is the port of the window. Clients use http://127.0.0.1:${proxyPort}/v1.`;
  const error = { message, type: 'not_found_error', code: 'unknown_path' };
  reply.setHeader('connection', 'close');
  sayJson(reply, 404, path.startsWith('/v1/messages') ? { type: 'error', error } : { error });
}

/** A browser that was let in is so at one address only, whatever other names this machine has for it. */
function sendHome(reply: ServerResponse, location: string): void {
  reply.writeHead(307, { location }).end();
}

function sayMethod(reply: ServerResponse, allowed: string): void {
  reply.setHeader('allow', allowed);
  turnAway(reply, 405, `Only ${allowed} is understood here.`);
}

/** Answers without reading on: whatever else was sent is dropped with its connection. */
function turnAway(reply: ServerResponse, status: number, sentence: string): void {
  reply.setHeader('connection', 'close');
  sayProblem(reply, status, sentence);
}
