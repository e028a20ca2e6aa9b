import { z } from 'zod';

const STORED = 'gatehouse-window';
const Answer = z.object({ token: z.string().min(1) });
const Refusal = z.object({ error: z.object({ message: z.string() }) });

/** How this page came to stand before the engine. */
export type Session =
  | { readonly state: 'open'; readonly token: string }
  | { readonly state: 'closed'; readonly reason: string };

const NO_LINK = 'This browser has not been let in yet.';

/** Trades the one-time code of the address, if there is one, for a session; otherwise takes the one this browser has. Never rejects. */
export async function openSession(): Promise<Session> {
  const code = /^#([\w-]{16,})$/u.exec(location.hash)?.[1];
  const kept = localStorage.getItem(STORED);
  if (code === undefined) return kept === null ? closed(NO_LINK) : { state: 'open', token: kept };
  history.replaceState(history.state, '', location.pathname + location.search);
  const traded = await trade(code);
  // An old link in a browser that is in already does no harm.
  if (traded.state === 'closed' && kept !== null) return { state: 'open', token: kept };
  return traded;
}

/** Forgets a session that is over. One that another tab has begun since stays. */
export function dropSession(token: string): void {
  if (localStorage.getItem(STORED) === token) localStorage.removeItem(STORED);
}

/** Tells when another tab is let in: this browser then has that session, and no other. Returns what stops it. */
export function onLetIn(listener: (token: string) => void): () => void {
  const hear = ({ key, newValue }: StorageEvent): void => {
    if (key === STORED && newValue !== null) listener(newValue);
  };
  window.addEventListener('storage', hear);
  return () => window.removeEventListener('storage', hear);
}

/** Tells when a link is pasted into this tab: only its hash differs, so the browser does not load the page again. Returns what stops it. */
export function onLinkPasted(listener: () => void): () => void {
  window.addEventListener('hashchange', listener);
  return () => window.removeEventListener('hashchange', listener);
}

async function trade(code: string): Promise<Session> {
  try {
    const answer = await fetch('/session', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code }),
    });
    const body: unknown = await answer.json();
    if (!answer.ok) return closed(Refusal.parse(body).error.message);
    const { token } = Answer.parse(body);
    localStorage.setItem(STORED, token);
    return { state: 'open', token };
  } catch {
    // No answer, or not ours.
    return closed('Gatehouse did not answer. Is it running?');
  }
}

function closed(reason: string): Session {
  return { state: 'closed', reason };
}
