import type {
  ChatFile,
  ChatMessage,
  ChatSettings,
  TextProtocol,
} from '../../../shared/chat/chat.ts';
import { type Content, toContent, joinContents } from '../protocol/content.ts';

type Image = Extract<ChatFile, { readonly kind: 'image' }>;

/** The parts of a message that are sent. */
export type PathMessage = Pick<ChatMessage, 'text' | 'files' | 'answer'>;

export interface RequestOptions {
  readonly protocol: TextProtocol;
  readonly model: string;
  readonly settings: Pick<ChatSettings, 'system' | 'temperature' | 'maxTokens'>;
  /** Messages from the first to the one to be answered. */
  readonly path: readonly PathMessage[];
  /** Whether to send only model and messages (spec section 4.2). */
  readonly plain: boolean;
  readonly base64Of: (image: Image) => string;
}

/** A request to the gateway, without the local key. */
export interface TextRequest {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** Fields beyond model and messages that `plain` would omit or change, the most likely to be rejected first. */
  readonly extras: readonly string[];
}

/** An element of `messages` (spec section 2.4), or of `input`. */
interface RequestMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: Content;
}

const PATHS: Readonly<Record<TextProtocol, string>> = {
  chat: '/v1/chat/completions',
  responses: '/v1/responses',
  messages: '/v1/messages',
};

/** Messages requires a limit (spec section 4.4); most models accept this one. */
const DEFAULT_MAX_TOKENS = 8192;

/**
 * Builds the request for an answer to a path of messages (spec sections 4.2 to 4.4). Omits reasoning, and answers without
 * text.
 */
export function buildRequest(options: RequestOptions): TextRequest {
  const { protocol, plain } = options;
  const required = requiredFields(options);
  const optional = plain ? {} : optionalFields(options);
  const streaming = plain ? {} : { stream: true };
  const usage = plain || protocol !== 'chat' ? {} : { stream_options: { include_usage: true } };
  return {
    path: PATHS[protocol],
    body: { ...required, ...optional, ...streaming, ...usage },
    extras: [...Object.keys(optional), ...Object.keys(usage), ...Object.keys(streaming)],
  };
}

function requiredFields(options: RequestOptions): Record<string, unknown> {
  const { protocol, model, settings } = options;
  const messages = toRequestMessages(options);
  const system: RequestMessage[] =
    settings.system === '' ? [] : [{ role: 'system', content: settings.system }];
  switch (protocol) {
    case 'chat':
      return { model, messages: [...system, ...messages] };
    case 'responses':
      return { model, input: [...system, ...messages] };
    case 'messages':
      return { model, max_tokens: DEFAULT_MAX_TOKENS, messages: mergeByRole(messages, options) };
  }
}

/** Returns only the fields that a person has set. */
function optionalFields({ protocol, settings }: RequestOptions): Record<string, unknown> {
  const { temperature, maxTokens, system } = settings;
  const limit = protocol === 'responses' ? 'max_output_tokens' : 'max_tokens';
  return {
    ...(temperature === null ? {} : { temperature }),
    ...(maxTokens === null ? {} : { [limit]: maxTokens }),
    ...(protocol === 'messages' && system !== '' ? { system } : {}),
  };
}

function toRequestMessages({ path, protocol, base64Of }: RequestOptions): RequestMessage[] {
  return path.flatMap((message): RequestMessage[] => {
    const { answer, text } = message;
    if (answer === null) {
      return [{ role: 'user', content: toContent(message, { protocol, base64Of }) }];
    }
    return text.trim() === '' ? [] : [{ role: 'assistant', content: text }];
  });
}

/**
 * Merges successive messages of one role, because Messages requires user and assistant in turn and an answer may be missing. A
 * plain request has no `system`; the prompt is prepended to the first message then.
 */
function mergeByRole(
  messages: readonly RequestMessage[],
  { plain, settings }: RequestOptions,
): RequestMessage[] {
  const first: RequestMessage[] =
    plain && settings.system !== '' ? [{ role: 'user', content: settings.system }] : [];
  const all: RequestMessage[] = [];
  for (const message of [...first, ...messages]) {
    const before = all.at(-1);
    if (before?.role !== message.role) all.push(message);
    else
      all[all.length - 1] = { ...before, content: joinContents(before.content, message.content) };
  }
  return all;
}
