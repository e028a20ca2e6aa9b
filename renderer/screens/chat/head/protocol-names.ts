import type { TextProtocol } from '../../../../shared/chat.ts';

/** Labels of the protocols, in the order they are offered. */
export const PROTOCOL_NAMES: Readonly<Record<TextProtocol, string>> = {
  chat: 'Chat Completions',
  responses: 'Responses',
  messages: 'Messages',
};
