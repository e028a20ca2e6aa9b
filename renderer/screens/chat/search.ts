import type { ConversationId, MessageId } from '../../../shared/chat/chat.ts';
import { readId, searchReader, textUpTo } from '../../search-params.ts';

/** Maximum length of the id of a model. */
const MAX_MODEL_LENGTH = 256;

/**
 * Reads the search parameters of the chat: the open conversation, and the message to scroll to; or the model of a new
 * conversation.
 */
export const readChatSearch = searchReader({
  c: readId<ConversationId>,
  at: readId<MessageId>,
  model: textUpTo(MAX_MODEL_LENGTH),
});

/** Reads the search parameters of the quick chat: the open conversation. */
export const readQuickSearch = searchReader({ c: readId<ConversationId> });
