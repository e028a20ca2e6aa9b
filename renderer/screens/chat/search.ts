import { z } from 'zod';
import { ConversationId, MessageId } from '../../../shared/chat.ts';

/** What the address of the chat says: the conversation shown, and the message to go to in it. */
export const ChatSearch = z.object({
  c: ConversationId.optional().catch(undefined),
  at: MessageId.optional().catch(undefined),
});
