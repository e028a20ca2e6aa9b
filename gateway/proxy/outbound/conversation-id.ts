import { findHeader } from '../../http/headers.ts';

/** Headers in which clients name their conversation, the most specific first. */
const CONVERSATION_HEADERS = [
  'x-claude-code-session-id',
  'session-id',
  'session_id',
  'thread-id',
  'x-session-id',
];

const MAX_CONVERSATION_ID_LENGTH = 200;

/** Finds the id that a client gives to its conversation; `null` when there is none. */
export function findConversationId(headers: readonly string[]): string | null {
  for (const name of CONVERSATION_HEADERS) {
    const value = findHeader(headers, name);
    if (value !== undefined && value !== '') return value.slice(0, MAX_CONVERSATION_ID_LENGTH);
  }
  return null;
}
