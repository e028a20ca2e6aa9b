import { z } from 'zod';
import { ConversationId, MessageId } from '../../../shared/chat.ts';

/** The search parameters of the chat: the open conversation, and the message to scroll to. */
export const ChatSearch = z.object({
  c: ConversationId.optional().catch(undefined),
  at: MessageId.optional().catch(undefined),
});
