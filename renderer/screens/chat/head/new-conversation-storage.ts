import { z } from 'zod';
import { NewConversation } from '../../../../shared/chat.ts';

const KEY = 'gatehouse-chat-new';
const StoredChoice = z.object({ at: z.number(), fresh: NewConversation });

/** The choice for a new conversation, and its time. */
export type StoredNewConversation = z.infer<typeof StoredChoice>;

/** Loads the choice from before a reload; `null` when there is none or it cannot be parsed. */
export function readNewConversation(): StoredNewConversation | null {
  try {
    return StoredChoice.parse(JSON.parse(localStorage.getItem(KEY) ?? 'null'));
  } catch {
    return null;
  }
}

export function saveNewConversation(stored: StoredNewConversation | null): void {
  localStorage.removeItem(KEY);
  if (stored === null) return;
  try {
    localStorage.setItem(KEY, JSON.stringify(stored));
  } catch {
    // The storage is full of drafts: the choice lasts until the next reload.
  }
}
