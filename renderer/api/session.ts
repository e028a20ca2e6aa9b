import { readMember } from './read-member.ts';

const STORAGE_KEY = 'gatehouse-window';

/** How this page was or was not signed in to the engine. */
export type Session =
  | { readonly state: 'open'; readonly token: string }
  | { readonly state: 'closed'; readonly reason: string };

const NO_LINK_MESSAGE = 'This browser is not signed in yet.';
const NO_ANSWER_MESSAGE = 'Gatehouse did not answer. Is it running?';

/**
 * Exchanges the one-time code in the URL, if there is one, for a session; otherwise uses the session of this browser.
 * Never rejects.
 */
export async function openSession(): Promise<Session> {
  const code = /^#([\w-]{16,})$/u.exec(location.hash)?.[1];
  const stored = localStorage.getItem(STORAGE_KEY);
  if (code === undefined)
    return stored === null ? closedSession(NO_LINK_MESSAGE) : { state: 'open', token: stored };
  history.replaceState(history.state, '', location.pathname + location.search);
  const traded = await exchangeCode(code);
  // An expired link is harmless in a browser that is already signed in.
  if (traded.state === 'closed' && stored !== null) return { state: 'open', token: stored };
  return traded;
}

/** Removes a session that has ended. One that another tab has started since remains. */
export function dropSession(token: string): void {
  if (localStorage.getItem(STORAGE_KEY) === token) localStorage.removeItem(STORAGE_KEY);
}

/** Calls back when another tab signs in: this browser then uses that session only. Returns a function that unsubscribes. */
export function onSignedInElsewhere(listener: (token: string) => void): () => void {
  const onMessage = ({ key, newValue }: StorageEvent): void => {
    if (key === STORAGE_KEY && newValue !== null) listener(newValue);
  };
  window.addEventListener('storage', onMessage);
  return () => window.removeEventListener('storage', onMessage);
}

/**
 * Calls back when a link is pasted into this tab: only its hash differs, so the browser does not reload the page.
 * Returns a function that unsubscribes.
 */
export function onLinkPasted(listener: () => void): () => void {
  window.addEventListener('hashchange', listener);
  return () => window.removeEventListener('hashchange', listener);
}

async function exchangeCode(code: string): Promise<Session> {
  try {
    const answer = await fetch('/session', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code }),
    });
    const body: unknown = await answer.json();
    if (!answer.ok) return closedSession(readMessage(body));
    const token = readMember(body, 'token');
    if (typeof token !== 'string' || token === '') return closedSession(NO_ANSWER_MESSAGE);
    localStorage.setItem(STORAGE_KEY, token);
    return { state: 'open', token };
  } catch {
    // No response, or not one of the engine.
    return closedSession(NO_ANSWER_MESSAGE);
  }
}

/** Reads the message of a refusal. */
function readMessage(body: unknown): string {
  const message = readMember(readMember(body, 'error'), 'message');
  return typeof message === 'string' ? message : NO_ANSWER_MESSAGE;
}

function closedSession(reason: string): Session {
  return { state: 'closed', reason };
}
