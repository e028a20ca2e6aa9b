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

/** Keeps a draft, or forgets it when it is empty. The oldest of too many go. */
export function keepDraft(name: string, { text, files }: Draft): void {
  if (text === '' && files.length === 0) return forgetDraft(name);
  const kept = JSON.stringify({ at: Date.now(), text, files });
  while (!wrote(PREFIX + name, kept)) {
    const oldest = others(name)[0];
    if (oldest === undefined) return;
    localStorage.removeItem(oldest);
  }
  for (const key of others(name).slice(0, 1 - MOST_DRAFTS)) localStorage.removeItem(key);
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

/** All other drafts, the oldest first. */
function others(name: string): readonly string[] {
  const all = keys().filter((key) => key !== PREFIX + name);
  // Each is read for its time only when there may be too many.
  if (all.length < MOST_DRAFTS) return all;
  const times = new Map(all.map((key) => [key, read(key)?.at ?? 0]));
  return all.toSorted((a, b) => (times.get(a) ?? 0) - (times.get(b) ?? 0));
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
