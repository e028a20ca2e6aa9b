import { ORPCError } from '@orpc/client';
import type { ConversationId, NewConversation, UserMessage } from '../../shared/chat/chat.ts';
import { useCalls } from '../api/client.ts';
import type { GetConversation } from './store/use-conversation-store.ts';

interface StartOptions {
  readonly newChat: NewConversation;
  readonly getStore: GetConversation;
  readonly onStarted: (id: ConversationId) => void;
}

/** Creates a conversation and sends its first message. When that is refused, it rejects and deletes the empty conversation. */
export function useStartConversation({
  newChat,
  getStore,
  onStarted,
}: StartOptions): (message: UserMessage) => Promise<void> {
  const { chat: calls } = useCalls();
  return async (message) => {
    const { id } = await calls.add.call(newChat);
    try {
      const answers = await calls.send.call({
        id,
        content: message,
        replaces: [],
        expectedHeads: newChat.lanes.map(() => null),
      });
      const chat = getStore(id);
      chat.begin(answers);
      // The page navigates to it when there is something to show.
      await chat.reload();
    } catch (error) {
      // Without a refusal by the engine it is unknown whether the models were asked: then the conversation is not deleted.
      if (error instanceof ORPCError && error.status < 500) {
        await calls.remove.call({ id }).catch(() => undefined);
      }
      throw error;
    }
    // The caller must learn first that the message was sent.
    setTimeout(() => onStarted(id));
  };
}
