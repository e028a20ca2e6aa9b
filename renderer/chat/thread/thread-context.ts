import { createContext, use } from 'react';
import type { Conversation, MessageId } from '../../../shared/chat/chat.ts';
import type { ConversationStore } from '../store/conversation-store.ts';
import type { ConversationActions } from '../use-conversation-actions.ts';
import type { Editing } from '../use-editing.ts';

/** The values that every message of a thread needs. */
export interface ThreadValue {
  readonly chat: ConversationStore;
  readonly actions: ConversationActions;
  readonly conversation: Conversation;
  readonly editing: Editing;
  /** The paths that the lanes show side by side. */
  readonly shown: ReadonlySet<MessageId>;
}

const ThreadContext = createContext<ThreadValue | null>(null);
export const ThreadProvider = ThreadContext.Provider;

export function useThread(): ThreadValue {
  const thread = use(ThreadContext);
  if (thread === null) throw new Error('This component needs a ThreadProvider above it.');
  return thread;
}
