import type { Conversation } from '../../../../shared/chat.ts';

/** What a conversation is called, also before anything was said in it. */
export function displayTitle(conversation: Pick<Conversation, 'title'> | null): string {
  return conversation === null || conversation.title === ''
    ? 'New conversation'
    : conversation.title;
}
