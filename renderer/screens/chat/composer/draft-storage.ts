import { z } from 'zod';
import { ChatFile } from '../../../../shared/chat.ts';

const PREFIX = 'gatehouse-chat-draft:';
/** A browser keeps some five million characters for a site, and one draft may hold 250,000. */
const MAX_DRAFTS = 12;

const StoredDraft = z.object({ at: z.number(), text: z.string(), files: z.array(ChatFile) });

/** What was written and not sent. */
export interface MessageDraft {
  readonly text: string;
  readonly files: readonly ChatFile[];
}

const EMPTY_DRAFT: MessageDraft = { text: '', files: [] };

/** What was written before a reload; nothing when it cannot be read. */
export function readDraft(name: string): MessageDraft {
  return read(PREFIX + name) ?? EMPTY_DRAFT;
}

/** Longer ones can be sent only when they are shortened, and would drive all others out. */
const MAX_STORED_LENGTH = 1_000_000;

/** Keeps a draft, or forgets it when it is empty. The oldest of too many go; one that is far too long is not kept. */
export function saveDraft(name: string, { text, files }: MessageDraft): void {
  if (text === '' && files.length === 0) return deleteDraft(name);
  const kept = JSON.stringify({ at: Date.now(), text, files });
  if (kept.length > MAX_STORED_LENGTH) return;
  while (!tryWrite(PREFIX + name, kept)) {
    const [oldest] = oldestFirst(otherDrafts(name));
    if (oldest === undefined) return;
    localStorage.removeItem(oldest);
  }
  const rest = otherDrafts(name);
  // Each is read for its time only when there are too many.
  if (rest.length < MAX_DRAFTS) return;
  for (const key of oldestFirst(rest).slice(0, 1 - MAX_DRAFTS)) localStorage.removeItem(key);
}

export function deleteDraft(name: string): void {
  localStorage.removeItem(PREFIX + name);
}

/** Forgets what was written in any conversation. */
export function deleteDrafts(): void {
  for (const key of keys()) localStorage.removeItem(key);
}

/** `false`: there is no room for it. */
function tryWrite(key: string, text: string): boolean {
  try {
    localStorage.setItem(key, text);
    return true;
  } catch {
    return false;
  }
}

function otherDrafts(name: string): readonly string[] {
  return keys().filter((key) => key !== PREFIX + name);
}

function oldestFirst(drafts: readonly string[]): readonly string[] {
  const times = new Map(drafts.map((key) => [key, read(key)?.at ?? 0]));
  return drafts.toSorted((a, b) => (times.get(a) ?? 0) - (times.get(b) ?? 0));
}

function keys(): readonly string[] {
  return Object.keys(localStorage).filter((key) => key.startsWith(PREFIX));
}

function read(key: string): z.infer<typeof StoredDraft> | null {
  try {
    return StoredDraft.parse(JSON.parse(localStorage.getItem(key) ?? 'null'));
  } catch {
    return null;
  }
}
