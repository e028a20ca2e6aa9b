import { ORPCError } from '@orpc/client';
import type { ConversationId, NewConversation, Said } from '../../../shared/chat.ts';
import { useCalls } from '../../client/client.ts';
import type { OpenChats } from './use-open-chat.ts';

interface BeginOptions {
  readonly fresh: NewConversation;
  readonly open: OpenChats;
  readonly onBegun: (id: ConversationId) => void;
}

/** Begins a conversation by saying something. When that is refused it rejects, and no empty conversation is left behind. */
export function useBegin({ fresh, open, onBegun }: BeginOptions): (said: Said) => Promise<void> {
  const { chat: calls } = useCalls();
  return async (said) => {
    const { id } = await calls.add.call(fresh);
    try {
      const answers = await calls.send.call({
        id,
        said,
        instead: [],
        ends: fresh.lanes.map(() => null),
      });
      const chat = open(id);
      chat.begin(answers);
      // The page turns to it when there is something to see.
      await chat.reload();
    } catch (error) {
      // Unless the engine said no, nobody knows whether the models were asked: then it stays.
      if (error instanceof ORPCError && error.status < 500) {
        await calls.remove.call({ id }).catch(() => undefined);
      }
      throw error;
    }
    // Whoever sent it first hears that it was sent.
    setTimeout(() => onBegun(id));
  };
}
