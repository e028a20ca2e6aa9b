import type { TextProtocol } from '../../../../shared/chat.ts';

/** What the protocols are called, in the order they are offered. */
export const PROTOCOL_NAMES: Readonly<Record<TextProtocol, string>> = {
  chat: 'Chat Completions',
  responses: 'Responses',
  messages: 'Messages',
};
