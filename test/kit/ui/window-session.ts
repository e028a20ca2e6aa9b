import type { BrowserContext } from '@playwright/test';
import { z } from 'zod';

/** The two halves of a session of the window: a cookie, and a token that the page keeps. */
export interface WindowSession {
  readonly origin: string;
  /** Headers of a call. */
  readonly headers: { readonly cookie: string; readonly [TOKEN_HEADER]: string };
}

const TOKEN_HEADER = 'x-gatehouse-window';
const STORED = 'gatehouse-window';
const Answer = z.object({ token: z.string() });

/** Trades a link for a session, as the page does. */
export async function signIn(link: string): Promise<WindowSession> {
  const { origin, hash } = new URL(link);
  const answer = await fetch(`${origin}/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code: hash.slice(1) }),
  });
  const { token } = Answer.parse(await answer.json());
  const cookie = answer.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  return { origin, headers: { cookie, [TOKEN_HEADER]: token } };
}

/** Lets all pages of a browser's context into the window. */
export async function applySession(
  { origin, headers }: WindowSession,
  context: BrowserContext,
): Promise<void> {
  const [name = '', value = ''] = headers.cookie.split('=');
  await context.addCookies([{ name, value, url: origin, httpOnly: true, sameSite: 'Strict' }]);
  await context.addInitScript(
    ([home, key, token]) => {
      if (location.origin !== home) return;
      // A token that the page has got since by a link is newer.
      if (localStorage.getItem(key) === null) localStorage.setItem(key, token);
    },
    [origin, STORED, headers[TOKEN_HEADER]] as const,
  );
}
