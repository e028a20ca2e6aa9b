import type { EarlierMessages, StoredBody } from '../../../shared/exchange/body.ts';
import { TextProtocol } from '../../../shared/chat/chat.ts';
import type { RouteName } from '../../../shared/exchange/exchange.ts';
import { formatCount, pluralize } from '../../../shared/format.ts';
import { assembleResponse } from '../../../shared/parse-bodies/assemble-response.ts';
import { type Conversation, parseRequest } from '../../../shared/parse-bodies/parse-request.ts';
import { describeCall, type Part, type ToolResult } from '../../../shared/parse-bodies/parts.ts';

const ROLES: Readonly<Record<string, string>> = {
  system: 'System',
  developer: 'System',
  user: 'User',
  assistant: 'Assistant',
  tool: 'Result',
};

/** Parses a request of a text route, after the messages before its own; `null` for any other body. */
export function parseConversation(
  body: StoredBody,
  route: RouteName,
  earlier?: EarlierMessages,
): Conversation | null {
  const protocol = findProtocol(route);
  return protocol === null ? null : parseRequest(protocol, body, earlier);
}

/** Formats a request as a conversation: its parameters, then each message with the name of its role. */
export function formatConversation({ messages, parameters, tools }: Conversation): string {
  const facts = [
    ...parameters.map(({ name, value }) => `${name} ${value}`),
    ...(tools.length === 0 ? [] : [pluralize(tools.length, 'tool')]),
  ];
  const texts = messages.map(({ role, parts, mark }) => {
    if (mark === 'omitted') return '(the middle is not kept)';
    if (mark === 'earlier')
      return parts.map((part) => (part.kind === 'text' ? `(${part.text})` : '')).join('');
    return nameParts(ROLES[role] ?? role, parts);
  });
  return [facts.join(', '), ...texts].join('\n\n');
}

/** Formats a response as its answer; `null` when it is none. */
export function formatAnswer(body: StoredBody, route: RouteName): string | null {
  const protocol = findProtocol(route);
  const answer = protocol === null ? null : assembleResponse(protocol, body);
  if (answer === null) return null;
  const { parts, finish, error, isComplete } = answer;
  const end = [
    ...(isComplete ? [] : ['It is not complete.']),
    ...(finish === null ? [] : [`Finish reason: ${finish}.`]),
    ...(error === null ? [] : [`Error: ${error}`]),
  ];
  return [nameParts('Assistant', parts), end.join(' ')].filter((text) => text !== '').join('\n\n');
}

function findProtocol(route: RouteName): TextProtocol | null {
  return TextProtocol.options.find((option) => option === route) ?? null;
}

function nameParts(name: string, parts: readonly Part[]): string {
  return parts.map((part) => formatPart(name, part)).join('\n');
}

function formatPart(name: string, part: Part): string {
  switch (part.kind) {
    case 'text':
      return `${name}: ${part.text}`;
    case 'reasoning':
      return `${name}, reasoning: ${part.text}`;
    case 'call':
      return [
        `Call of ${part.name}: ${part.input}`,
        ...(part.result === null ? [] : [nameParts(`Result of ${part.name}`, [part.result])]),
      ].join('\n');
    case 'result':
      return formatResult(name, part);
    case 'image':
      return `${name}: an image (${formatCount(part.source.length)} characters)`;
    case 'other':
      return `${name}: ${JSON.stringify(part.value)}`;
  }
}

/** Formats the result of a tool. An empty one is named, because some programs return nothing from commands without output. */
function formatResult(name: string, { call, isError, parts }: ToolResult): string {
  const title = call === undefined ? name : `Result of ${describeCall(call)}`;
  const label = isError ? `${title}, an error` : title;
  return parts.length === 0 ? `${label}: (empty)` : nameParts(label, parts);
}
