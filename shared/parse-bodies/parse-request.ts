import { describeEarlier } from '../exchange/describe-body.ts';
import type { EarlierMessages, StoredBody } from '../exchange/body.ts';
import type { TextProtocol } from '../chat/chat.ts';
import { isObject, type JsonObject, toList, toName, toObject, tryParse } from './json.ts';
import { parseChatMessage, parseContent, parseResponsesItem, toItemRole } from './parse-content.ts';
import { type Message, nameResults, OMITTED, pairResults } from './parts.ts';
import { salvageRequest } from './salvage.ts';

/** Roles of messages that instruct the model. */
const SYSTEM_ROLES: ReadonlySet<string> = new Set(['system', 'developer']);

/** A tool that a request offers. */
export interface Tool {
  readonly name: string;
  readonly description: string | null;
  /** JSON Schema of its input; `null` when none is given. */
  readonly schema: unknown;
}

/** A request to a model, the same for all protocols. */
export interface Conversation {
  /** In their order. Each result of a tool is under its call, but for one that the request sent for a call that it did not send. */
  readonly messages: readonly Message[];
  /** Number of messages at the start that are the system prompt, without those that were rebuilt. */
  readonly prompts: number;
  /** Parameters with short values, such as `temperature`. */
  readonly parameters: readonly { readonly name: string; readonly value: string }[];
  readonly tools: readonly Tool[];
}

/**
 * Parses the body of a request; returns `null` when it is no conversation of that protocol. `earlier`: the messages before its own, which
 * the service has stored. Never throws.
 */
export function parseRequest(
  protocol: TextProtocol,
  { text, omitted }: Pick<StoredBody, 'text' | 'omitted'>,
  earlier?: EarlierMessages,
): Conversation | null {
  if (omitted === null) {
    const fields = tryParse(text);
    if (!isObject(fields)) return null;
    const list = fields[protocol === 'responses' ? 'input' : 'messages'];
    const hasMessages = Array.isArray(list) || typeof list === 'string';
    if (!hasMessages && earlier === undefined) return null;
    return toConversation(protocol, fields, parseList(protocol, list), earlier);
  }
  const { fields, before, after } = salvageRequest(text, omitted);
  if (before.length + after.length === 0 && earlier === undefined) return null;
  const list = [...parseList(protocol, before), OMITTED, ...parseList(protocol, after)];
  return toConversation(protocol, fields, list, earlier);
}

function toConversation(
  protocol: TextProtocol,
  fields: JsonObject,
  list: readonly Message[],
  earlier: EarlierMessages | undefined,
): Conversation {
  const instructions = fields[protocol === 'messages' ? 'system' : 'instructions'];
  const system = protocol === 'chat' ? [] : parseContent(instructions);
  const first = system.length === 0 ? [] : [{ role: 'system', parts: system }];
  const before = earlier === undefined ? [] : parseEarlier(protocol, earlier);
  // What the request sent itself stays after the mark.
  const own = pairResults(list);
  const messages = [...first, ...before, ...nameResults(own, before)];
  const end = messages.findIndex(({ role }) => !SYSTEM_ROLES.has(role));
  const prompts = end === -1 ? messages.length : end;
  return {
    messages,
    prompts: earlier === undefined ? prompts : first.length,
    parameters: listParameters(fields),
    tools: toList(fields['tools'] ?? fields['functions']).map(parseTool),
  };
}

/** Parses the messages before those of a request, with a mark at their end, and one where some are missing. */
function parseEarlier(protocol: TextProtocol, earlier: EarlierMessages): readonly Message[] {
  const { items, gap } = earlier;
  const all = toList(tryParse(items));
  const messages = pairResults(
    gap === null
      ? parseList(protocol, all)
      : [
          ...parseList(protocol, all.slice(0, gap)),
          OMITTED,
          ...parseList(protocol, all.slice(gap)),
        ],
  );
  // Messages that were joined, or went to their calls, count as they are shown.
  const count = messages.filter(({ mark }) => mark === undefined).length;
  const text = describeEarlier({ ...earlier, count });
  return [...messages, { role: 'earlier', parts: [{ kind: 'text', text }], mark: 'earlier' }];
}

function parseList(protocol: TextProtocol, list: unknown): readonly Message[] {
  if (typeof list === 'string') return [{ role: 'user', parts: parseContent(list) }];
  const messages = toList(list).map((value): Message => {
    const message = toObject(value);
    if (!isObject(value)) return { role: 'unknown', parts: parseContent(value) };
    const role = toName(message['role']);
    if (protocol === 'messages')
      return { role: role ?? 'unknown', parts: parseContent(message['content']) };
    if (protocol === 'chat') return { role: role ?? 'unknown', parts: parseChatMessage(message) };
    return { role: role ?? toItemRole(message['type']), parts: parseResponsesItem(message) };
  });
  return protocol === 'responses' ? joinAnswers(messages) : messages;
}

/** Joins the items of Responses that make up one answer, which ends where the results of its calls begin, and these results. */
function joinAnswers(messages: readonly Message[]): readonly Message[] {
  const joined: Message[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    const isPart = message.role === 'assistant' || message.role === 'tool';
    if (last !== undefined && isPart && last.role === message.role) {
      joined[joined.length - 1] = { role: last.role, parts: [...last.parts, ...message.parts] };
    } else joined.push(message);
  }
  return joined;
}

/** Fields that are shown in another way. */
const SHOWN_ELSEWHERE: ReadonlySet<string> = new Set([
  'messages',
  'input',
  'instructions',
  'system',
  'tools',
  'functions',
]);
const MAX_PARAMETERS = 24;
const MAX_VALUE = 80;

function listParameters(fields: JsonObject): Conversation['parameters'] {
  return Object.entries(fields)
    .filter(([name, value]) => !SHOWN_ELSEWHERE.has(name) && value !== null)
    .slice(0, MAX_PARAMETERS)
    .map(([name, value]) => ({ name: truncate(name), value: truncate(formatValue(value)) }));
}

function formatValue(value: unknown): string {
  if (typeof value === 'string') return value;
  try {
    return JSON.stringify(value) ?? '';
  } catch {
    return '…';
  }
}

function truncate(text: string): string {
  return text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}…` : text;
}

function parseTool(value: unknown): Tool {
  const tool = toObject(value);
  const fields = isObject(tool['function']) ? tool['function'] : tool;
  return {
    name: toName(fields['name']) ?? toName(tool['type']) ?? 'unnamed',
    description: toName(fields['description']),
    schema: fields['parameters'] ?? fields['input_schema'] ?? null,
  };
}
