import { z } from 'zod';
import { ChatFile } from '../../../../shared/chat.ts';

const PREFIX = 'gatehouse-chat-draft:';
/** A browser keeps some five million characters for a site, and one draft may hold 250,000. */
const MOST_DRAFTS = 12;

const Kept = z.object({ at: z.number(), text: z.string(), files: z.array(ChatFile) });

/** What was written and not sent. */
export interface Draft {
  readonly text: string;
  readonly files: readonly ChatFile[];
}

const NOTHING: Draft = { text: '', files: [] };

/** What was written before a reload; nothing when it cannot be read. */
export function keptDraft(name: string): Draft {
  return read(PREFIX + name) ?? NOTHING;
}

/** Longer ones can be sent only when they are shortened, and would drive all others out. */
const LONGEST_KEPT = 1_000_000;

/** Keeps a draft, or forgets it when it is empty. The oldest of too many go; one that is far too long is not kept. */
export function keepDraft(name: string, { text, files }: Draft): void {
  if (text === '' && files.length === 0) return forgetDraft(name);
  const kept = JSON.stringify({ at: Date.now(), text, files });
  if (kept.length > LONGEST_KEPT) return;
  while (!wrote(PREFIX + name, kept)) {
    const [oldest] = oldestFirst(others(name));
    if (oldest === undefined) return;
    localStorage.removeItem(oldest);
  }
  const rest = others(name);
  // Each is read for its time only when there are too many.
  if (rest.length < MOST_DRAFTS) return;
  for (const key of oldestFirst(rest).slice(0, 1 - MOST_DRAFTS)) localStorage.removeItem(key);
}

export function forgetDraft(name: string): void {
  localStorage.removeItem(PREFIX + name);
}

/** Forgets what was written in any conversation. */
export function forgetDrafts(): void {
  for (const key of keys()) localStorage.removeItem(key);
}

/** `false`: there is no room for it. */
function wrote(key: string, text: string): boolean {
  try {
    localStorage.setItem(key, text);
    return true;
  } catch {
    return false;
  }
}

function others(name: string): readonly string[] {
  return keys().filter((key) => key !== PREFIX + name);
}

function oldestFirst(drafts: readonly string[]): readonly string[] {
  const times = new Map(drafts.map((key) => [key, read(key)?.at ?? 0]));
  return drafts.toSorted((a, b) => (times.get(a) ?? 0) - (times.get(b) ?? 0));
}

function keys(): readonly string[] {
  return Object.keys(localStorage).filter((key) => key.startsWith(PREFIX));
}

function read(key: string): z.infer<typeof Kept> | null {
  try {
    return Kept.parse(JSON.parse(localStorage.getItem(key) ?? 'null'));
  } catch {
    return null;
  }
}
