import { z } from 'zod';
import { NewConversation } from '../../../../shared/chat.ts';

const KEY = 'gatehouse-chat-new';
const Kept = z.object({ at: z.number(), fresh: NewConversation });

/** What was chosen for a conversation that has not begun, and when. */
export type KeptFresh = z.infer<typeof Kept>;

/** What was chosen before a reload; `null` when nothing was, or it cannot be read. */
export function keptFresh(): KeptFresh | null {
  try {
    return Kept.parse(JSON.parse(localStorage.getItem(KEY) ?? 'null'));
  } catch {
    return null;
  }
}

export function keepFresh(kept: KeptFresh | null): void {
  if (kept === null) localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, JSON.stringify(kept));
}
