import { z } from 'zod';
import { NewConversation } from '../../../../shared/chat.ts';

const KEY = 'gatehouse-chat-new';
const StoredChoice = z.object({ at: z.number(), fresh: NewConversation });

/** What was chosen for a conversation that has not begun, and when. */
export type StoredNewConversation = z.infer<typeof StoredChoice>;

/** What was chosen before a reload; `null` when nothing was, or it cannot be read. */
export function readNewConversation(): StoredNewConversation | null {
  try {
    return StoredChoice.parse(JSON.parse(localStorage.getItem(KEY) ?? 'null'));
  } catch {
    return null;
  }
}

export function saveNewConversation(kept: StoredNewConversation | null): void {
  localStorage.removeItem(KEY);
  if (kept === null) return;
  try {
    localStorage.setItem(KEY, JSON.stringify(kept));
  } catch {
    // Drafts have taken the room: it holds until the next reload.
  }
}
