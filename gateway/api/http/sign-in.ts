import type { IncomingMessage, ServerResponse } from 'node:http';
import { parseCookie, stringifySetCookie } from 'cookie';
import { z } from 'zod';
import { WINDOW_COOKIE } from '../../http/headers.ts';
import { sendJson, sendErrorBody } from './http-responses.ts';
import { readJsonBody } from './json-body.ts';
import type { Sessions } from './sessions.ts';

const Code = z.object({ code: z.string().min(1).max(128) });

const MAX_FAILURES = 10;
const FAILURE_WINDOW_MS = 60_000;
/** The longest that browsers keep a cookie; the session expires earlier. */
const COOKIE_SECONDS = 400 * 24 * 3600;

export interface SignInOptions {
  readonly sessions: Sessions;
  /** Unix time in milliseconds. */
  readonly now: () => number;
  /** The command that people type for the command line. */
  readonly command: string;
}

/** Signs browsers in by a one-time code, and finds their sessions. */
export interface SignIn {
  /** Handles `POST /session` with `{ code }`: sets the cookie and responds with `{ token }`. */
  begin(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Handles `POST /session/end`: ends the session of this id. */
  end(id: string, request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Returns the session of a request; `null` when it lacks the cookie or the token of one. */
  findSession(request: IncomingMessage): Promise<string | null>;
  /** Returns the session of a request's cookie alone, as images and videos send it. */
  findSessionByCookie(request: IncomingMessage): Promise<string | null>;
}

/** Header with the token, the part of a session that only the page can read. */
const TOKEN_HEADER = 'x-gatehouse-window';

export function createSignIn({ sessions, now, command }: SignInOptions): SignIn {
  const failures = new AttemptLimit(now);
  const findSession = async (request: IncomingMessage): Promise<string | null> => {
    const cookies = parseCookies(request);
    const token = request.headers[TOKEN_HEADER];
    if (cookies.length === 0 || typeof token !== 'string') return null;
    return await sessions.find({ cookies, token });
  };
  return {
    findSession: findSession,
    async findSessionByCookie(request) {
      const cookies = parseCookies(request);
      return cookies.length === 0 ? null : await sessions.findByCookie(cookies);
    },
    async begin(request, response) {
      const body = await readJsonBody(request);
      if ('status' in body) return sendErrorBody(response, body.status, body.sentence);
      // Counted before any await, so that parallel attempts count like sequential ones.
      const attempt = failures.begin();
      const { data } = Code.safeParse(body.value);
      // A valid code of 128 bits succeeds after any number of failures: nobody can lock a person out.
      const session = data === undefined ? null : await sessions.redeemCode(data.code);
      if (session !== null) attempt.succeed();
      if (session === null) {
        if (attempt.isRejected) return sendTooManyAttempts(response);
        return sendErrorBody(
          response,
          401,
          `This link was already used or is older than 10 minutes. Create a new one: ${command} open`,
        );
      }
      response.setHeader('set-cookie', formatCookie(request, session.cookie, COOKIE_SECONDS));
      return sendJson(response, 200, { token: session.token });
    },
    async end(id, request, response) {
      await sessions.end(id);
      response.setHeader('set-cookie', formatCookie(request, '', 0));
      sendJson(response, 200, {});
    },
  };
}

/** Returns all cookies of our name: another program at this host may have added one (RFC 6265 section 8.6). */
function parseCookies(request: IncomingMessage): string[] {
  const name = formatCookieName(request);
  const pairs = (request.headers.cookie ?? '').split(';');
  const values = pairs.map((pair) => parseCookie(pair)[name]);
  return [...new Set(values.filter((value) => value !== undefined))];
}

/** Other instances on this machine have other ports but share the cookies. */
function formatCookieName({ socket }: IncomingMessage): string {
  return `${WINDOW_COOKIE}${socket.localPort ?? 0}`;
}

function formatCookie(request: IncomingMessage, value: string, maxAge: number): string {
  return stringifySetCookie({
    name: formatCookieName(request),
    value,
    maxAge,
    path: '/',
    httpOnly: true,
    sameSite: 'strict',
  });
}

function sendTooManyAttempts(response: ServerResponse): void {
  response.setHeader('retry-after', FAILURE_WINDOW_MS / 1000);
  sendErrorBody(
    response,
    429,
    'Too many invalid links were used. Wait a minute, then create a new one.',
  );
}

/** One attempt to redeem a code. It counts as a failure unless it succeeds. */
interface Attempt {
  /** Whether the limit of failures within the last minute was reached before it. */
  readonly isRejected: boolean;
  succeed(): void;
}

/** Counts attempts within the last minute that failed, or are still undecided. */
class AttemptLimit {
  readonly #now: () => number;
  #attempts: readonly { readonly at: number }[] = [];

  constructor(now: () => number) {
    this.#now = now;
  }

  begin(): Attempt {
    const recent = this.#recent();
    const isTooMuch = recent.length >= MAX_FAILURES;
    const attempt = { at: this.#now() };
    // Attempts beyond the limit are not stored, so that a flood takes no memory.
    if (!isTooMuch) this.#attempts = [...recent, attempt];
    return {
      isRejected: isTooMuch,
      succeed: () => {
        this.#attempts = this.#attempts.filter((one) => one !== attempt);
      },
    };
  }

  #recent(): readonly { readonly at: number }[] {
    const now = this.#now();
    // A clock that was set back must not lock anybody out.
    return this.#attempts.filter(({ at }) => at <= now && at > now - FAILURE_WINDOW_MS);
  }
}
