import type { ChatFile, ChatMessage, ChatSettings, TextProtocol } from '../../shared/chat.ts';
import { type Content, contentOf, joined } from './content.ts';

type Image = Extract<ChatFile, { readonly kind: 'image' }>;

/** What of a message is sent. */
export type Spoken = Pick<ChatMessage, 'text' | 'files' | 'answer'>;

export interface RequestAsked {
  readonly protocol: TextProtocol;
  readonly model: string;
  readonly settings: Pick<ChatSettings, 'system' | 'temperature' | 'maxTokens'>;
  /** From the beginning to what is to be answered. */
  readonly path: readonly Spoken[];
  /** With only model and messages (spec section 4.2). */
  readonly plain: boolean;
  readonly base64Of: (image: Image) => string;
}

/** A request as it goes to the gateway, but for the local key. */
export interface TextRequest {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** The fields beyond model and messages that `plain` would leave out or change, the likeliest to be refused first. */
  readonly extras: readonly string[];
}

/** As an element of `messages` (spec section 2.4), or of `input`. */
interface Turn {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: Content;
}

const PATHS: Readonly<Record<TextProtocol, string>> = {
  chat: '/v1/chat/completions',
  responses: '/v1/responses',
  messages: '/v1/messages',
};

/** Messages requires a limit (spec section 4.4); this one is within what most models take. */
const USUAL_MOST_TOKENS = 8192;

/** The request for the answer to a path of messages (spec sections 4.2 to 4.4). Reasoning is not sent back, nor an answer of which nothing came. */
export function requestFor(asked: RequestAsked): TextRequest {
  const { protocol, plain } = asked;
  const needed = neededFields(asked);
  const optional = plain ? {} : optionalFields(asked);
  const streaming = plain ? {} : { stream: true };
  const usage = plain || protocol !== 'chat' ? {} : { stream_options: { include_usage: true } };
  return {
    path: PATHS[protocol],
    body: { ...needed, ...optional, ...streaming, ...usage },
    extras: [...Object.keys(optional), ...Object.keys(usage), ...Object.keys(streaming)],
  };
}

function neededFields(asked: RequestAsked): Record<string, unknown> {
  const { protocol, model, settings } = asked;
  const said = turnsOf(asked);
  const system: Turn[] =
    settings.system === '' ? [] : [{ role: 'system', content: settings.system }];
  switch (protocol) {
    case 'chat':
      return { model, messages: [...system, ...said] };
    case 'responses':
      return { model, input: [...system, ...said] };
    case 'messages':
      return { model, max_tokens: USUAL_MOST_TOKENS, messages: alternating(said, asked) };
  }
}

/** Only what a person has set. */
function optionalFields({ protocol, settings }: RequestAsked): Record<string, unknown> {
  const { temperature, maxTokens, system } = settings;
  const limit = protocol === 'responses' ? 'max_output_tokens' : 'max_tokens';
  return {
    ...(temperature === null ? {} : { temperature }),
    ...(maxTokens === null ? {} : { [limit]: maxTokens }),
    ...(protocol === 'messages' && system !== '' ? { system } : {}),
  };
}

function turnsOf({ path, protocol, base64Of }: RequestAsked): Turn[] {
  return path.flatMap((message): Turn[] => {
    const { answer, text } = message;
    if (answer === null) {
      return [{ role: 'user', content: contentOf(message, { protocol, base64Of }) }];
    }
    return text.trim() === '' ? [] : [{ role: 'assistant', content: text }];
  });
}

/**
 * Messages wants user and assistant by turns, so what a person said twice, because no answer came, is said at once. A plain request has no
 * `system`; the prompt stands before what was said first then.
 */
function alternating(turns: readonly Turn[], { plain, settings }: RequestAsked): Turn[] {
  const first: Turn[] =
    plain && settings.system !== '' ? [{ role: 'user', content: settings.system }] : [];
  const all: Turn[] = [];
  for (const turn of [...first, ...turns]) {
    const before = all.at(-1);
    if (before?.role !== turn.role) all.push(turn);
    else all[all.length - 1] = { ...before, content: joined(before.content, turn.content) };
  }
  return all;
}
