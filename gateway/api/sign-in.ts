import type { IncomingMessage, ServerResponse } from 'node:http';
import { parseCookie, stringifySetCookie } from 'cookie';
import { z } from 'zod';
import { sayJson, sayProblem } from './answers.ts';
import { readJson } from './body.ts';
import type { Sessions } from './sessions.ts';

const Code = z.object({ code: z.string().min(1).max(128) });

const MOST_FAILURES = 10;
const FAILURE_WINDOW_MS = 60_000;
/** The longest that browsers keep a cookie; the session behind it ends earlier by itself. */
const COOKIE_SECONDS = 400 * 24 * 3600;

export interface SignInOptions {
  readonly sessions: Sessions;
  /** Unix time in milliseconds. */
  readonly now: () => number;
  /** How a person calls the command line. */
  readonly command: string;
}

/** Signing in by a one-time code, and who is signed in. */
export interface SignIn {
  /** `POST /session` with `{ code }`: sets the cookie and answers `{ token }`. */
  begin(request: IncomingMessage, reply: ServerResponse): Promise<void>;
  /** `POST /session/end`: ends the session of this id. */
  end(id: string, request: IncomingMessage, reply: ServerResponse): Promise<void>;
  /** The session that a request belongs to. `null`: it has not both halves of one. */
  sessionOf(request: IncomingMessage): Promise<string | null>;
  /** The session of a request's cookie alone, as images and videos send it. */
  holderOf(request: IncomingMessage): Promise<string | null>;
}

/** The header with the half of a session that only the page can read. */
const TOKEN_HEADER = 'x-gatehouse-window';

export function openSignIn({ sessions, now, command }: SignInOptions): SignIn {
  const failures = new Failures(now);
  const sessionOf = async (request: IncomingMessage): Promise<string | null> => {
    const cookie = cookieIn(request);
    const token = request.headers[TOKEN_HEADER];
    if (cookie === undefined || typeof token !== 'string') return null;
    return await sessions.find({ cookie, token });
  };
  return {
    sessionOf,
    async holderOf(request) {
      const cookie = cookieIn(request);
      return cookie === undefined ? null : await sessions.holder(cookie);
    },
    async begin(request, reply) {
      const body = await readJson(request);
      if ('status' in body) return sayProblem(reply, body.status, body.sentence);
      if (failures.areTooMany()) return sayTooMany(reply);
      const { data } = Code.safeParse(body.value);
      const session = data === undefined ? null : await sessions.begin(data.code);
      if (session === null) {
        failures.note();
        return sayProblem(
          reply,
          401,
          `This link was used already, or it is older than 10 minutes. Make a new one: ${command} open`,
        );
      }
      reply.setHeader('set-cookie', cookieOf(request, session.cookie, COOKIE_SECONDS));
      return sayJson(reply, 200, { token: session.token });
    },
    async end(id, request, reply) {
      await sessions.end(id);
      reply.setHeader('set-cookie', cookieOf(request, '', 0));
      sayJson(reply, 200, {});
    },
  };
}

function cookieIn(request: IncomingMessage): string | undefined {
  return parseCookie(request.headers.cookie ?? '')[cookieName(request)];
}

/** Other Gatehouses of this machine have ports of their own, but share the cookies. */
function cookieName({ socket }: IncomingMessage): string {
  return `gatehouse_window_${socket.localPort ?? 0}`;
}

function cookieOf(request: IncomingMessage, value: string, maxAge: number): string {
  return stringifySetCookie({
    name: cookieName(request),
    value,
    maxAge,
    path: '/',
    httpOnly: true,
    sameSite: 'strict',
  });
}

function sayTooMany(reply: ServerResponse): void {
  reply.setHeader('retry-after', FAILURE_WINDOW_MS / 1000);
  sayProblem(reply, 429, 'Too many links did not work. Wait a minute, then make a new one.');
}

/** Codes that did not work within the last minute. */
class Failures {
  readonly #now: () => number;
  #times: readonly number[] = [];

  constructor(now: () => number) {
    this.#now = now;
  }

  note(): void {
    this.#times = [...this.#recent(), this.#now()];
  }

  areTooMany(): boolean {
    return this.#recent().length >= MOST_FAILURES;
  }

  #recent(): readonly number[] {
    const now = this.#now();
    // A clock that was set back must not lock anybody out.
    return this.#times.filter((time) => time <= now && time > now - FAILURE_WINDOW_MS);
  }
}
