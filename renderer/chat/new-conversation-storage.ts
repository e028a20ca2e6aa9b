import { z } from 'zod';
import { NewConversation } from '../../shared/chat/chat.ts';
import { deleteStored, readStored, writeStored } from '../hooks/storage.ts';

const KEY = 'gatehouse-chat-new';
const StoredChoice = z.object({ at: z.number(), fresh: NewConversation });

/** The choice for a new conversation, and its time. */
export type StoredNewConversation = z.infer<typeof StoredChoice>;

/** Loads the choice from before a reload; `null` when there is none or it cannot be parsed. */
export function readNewConversation(): StoredNewConversation | null {
  return readStored(KEY, StoredChoice);
}

export function saveNewConversation(stored: StoredNewConversation | null): void {
  if (stored === null) deleteStored(KEY);
  else writeStored(KEY, stored);
}
