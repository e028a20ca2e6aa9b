import type { Conversation } from '../../../../shared/chat/chat.ts';

/** Returns the title of a conversation, also before its first message. */
export function displayTitle(conversation: Pick<Conversation, 'title'> | null): string {
  return conversation === null || conversation.title === ''
    ? 'New conversation'
    : conversation.title;
}
