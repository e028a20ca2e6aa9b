import { z } from 'zod';
import { ChatFile } from '../../../shared/chat/chat.ts';
import { readStored } from '../../hooks/storage.ts';

const PREFIX = 'gatehouse-chat-draft:';
/** Maximum number of drafts: a browser stores about five million characters for a site, and one draft may have 250,000. */
const MAX_DRAFTS = 12;

const StoredDraft = z.object({ at: z.number(), text: z.string(), files: z.array(ChatFile) });

/** A message that was not sent yet. */
export interface MessageDraft {
  readonly text: string;
  readonly files: readonly ChatFile[];
}

const EMPTY_DRAFT: MessageDraft = { text: '', files: [] };

/** Loads a draft; an empty one when it cannot be parsed. */
export function readDraft(name: string): MessageDraft {
  return readStored(PREFIX + name, StoredDraft) ?? EMPTY_DRAFT;
}

/** Maximum length of a stored draft: longer ones cannot be sent unshortened and would displace all others. */
const MAX_STORED_LENGTH = 1_000_000;

/** Saves a draft, or removes it when it is empty. The oldest of too many are deleted; one that is far too long is not saved. */
export function saveDraft(name: string, { text, files }: MessageDraft): void {
  if (text === '' && files.length === 0) return deleteDraft(name);
  const stored = JSON.stringify({ at: Date.now(), text, files });
  if (stored.length > MAX_STORED_LENGTH) return;
  while (!tryWrite(PREFIX + name, stored)) {
    const [oldest] = oldestFirst(otherDrafts(name));
    if (oldest === undefined) return;
    localStorage.removeItem(oldest);
  }
  const rest = otherDrafts(name);
  // The times are parsed only when there are too many drafts.
  if (rest.length < MAX_DRAFTS) return;
  for (const key of oldestFirst(rest).slice(0, 1 - MAX_DRAFTS)) localStorage.removeItem(key);
}

export function deleteDraft(name: string): void {
  localStorage.removeItem(PREFIX + name);
}

/** Removes the drafts of all conversations. */
export function deleteDrafts(): void {
  for (const key of keys()) localStorage.removeItem(key);
}

/** Writes an item; `false` when the storage is full. */
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
  const times = new Map(drafts.map((key) => [key, readStored(key, StoredDraft)?.at ?? 0]));
  return drafts.toSorted((a, b) => (times.get(a) ?? 0) - (times.get(b) ?? 0));
}

function keys(): readonly string[] {
  return Object.keys(localStorage).filter((key) => key.startsWith(PREFIX));
}
