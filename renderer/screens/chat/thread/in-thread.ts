import { createContext, use } from 'react';
import type { Conversation, MessageId } from '../../../../shared/chat.ts';
import type { OpenChat } from '../open-chat.ts';
import type { Acts } from '../use-acts.ts';
import type { Editing } from '../use-editing.ts';

/** What every message of a thread stands in. */
export interface InThread {
  readonly chat: OpenChat;
  readonly acts: Acts;
  readonly conversation: Conversation;
  readonly editing: Editing;
  /** What the lanes show side by side. */
  readonly shown: ReadonlySet<MessageId>;
}

const ThreadContext = createContext<InThread | null>(null);
export const ThreadProvider = ThreadContext.Provider;

export function useThread(): InThread {
  const thread = use(ThreadContext);
  if (thread === null) throw new Error('This part of the page stands outside of ThreadProvider.');
  return thread;
}
