import { type ExchangeBodies, type StoredBody, toUnaskedRequest } from '../exchange/body.ts';
import { TextProtocol } from '../chat/chat.ts';
import { markOmitted } from '../exchange/describe-body.ts';
import type { ExchangeRecord } from '../exchange/exchange.ts';
import { assembleResponse } from '../parse-bodies/assemble-response.ts';
import { formatArguments, formatJson, toObject, tryParse } from '../parse-bodies/json.ts';
import { type Conversation, parseRequest, type Tool } from '../parse-bodies/parse-request.ts';
import { type Message, pairResults } from '../parse-bodies/parts.ts';
import { type ComparedFact, compareFacts } from './compare-facts.ts';
import { type ComparedMessage, compareMessages } from './compare-messages.ts';
import { type Change, diffJson } from './diff-json.ts';
import type { Budget } from './diff-sequence.ts';
import { diffText, type Piece } from './diff-text.ts';
import { formatParts } from './message-text.ts';

/** An exchange to compare. */
export interface StoredExchange {
  readonly exchange: ExchangeRecord;
  readonly bodies: ExchangeBodies;
}

/** A tool that is not the same in both requests. */
export interface ComparedTool {
  readonly name: string;
  readonly kind: 'removed' | 'added' | 'changed';
  /** The differences of its definition; empty unless it changed. */
  readonly pieces: readonly Piece[];
}

/** What differs between two requests. */
export type ComparedRequest =
  | {
      readonly kind: 'conversation';
      readonly parameters: readonly Change[];
      readonly tools: readonly ComparedTool[];
      readonly messages: readonly ComparedMessage[];
      /** What of each request was rebuilt from those before it; `null` where nothing was. */
      readonly rebuilt: { readonly before: string | null; readonly after: string | null };
    }
  | { readonly kind: 'text'; readonly pieces: readonly Piece[] };

/** The differences of two exchanges. */
export interface Comparison {
  /** Whether the middle of a body is not stored, so that it is not compared. */
  readonly isIncomplete: boolean;
  readonly facts: readonly ComparedFact[];
  /** `null` when one of the requests is not stored. */
  readonly request: ComparedRequest | null;
  /** `null` when one of the responses is not stored. */
  readonly answer: readonly Piece[] | null;
}

/** Steps of about ten nanoseconds, so that no comparison takes longer than some tenths of a second. */
const STEPS = 10_000_000;

/** Compares two exchanges. Differences of long texts are found in lines instead of words. */
export function compareExchanges(before: StoredExchange, after: StoredExchange): Comparison {
  const budget = { steps: STEPS };
  const bodies = [before, after].flatMap((one) => [one.bodies.sent, one.bodies.returned]);
  return {
    isIncomplete: bodies.some((body) => body !== null && body.omitted !== null),
    facts: compareFacts(before.exchange, after.exchange),
    request: compareRequests(before, after, budget),
    answer: compareAnswers(before, after, budget),
  };
}

function compareRequests(
  before: StoredExchange,
  after: StoredExchange,
  budget: Budget,
): ComparedRequest | null {
  const [left, right] = [readRequest(before), readRequest(after)];
  if (left === null || right === null) return null;
  if (left.conversation === null || right.conversation === null) {
    const pieces = diffText(formatBody(left.body), formatBody(right.body), budget);
    return { kind: 'text', pieces };
  }
  return {
    kind: 'conversation',
    parameters: diffJson(listParameters(left), listParameters(right)),
    tools: compareTools(left.conversation.tools, right.conversation.tools, budget),
    messages: compareMessages(listMessages(left), listMessages(right), budget),
    rebuilt: { before: findMark(left), after: findMark(right) },
  };
}

/** Returns the messages without the mark before those that the request sent itself, and each result under its call. */
function listMessages({ conversation }: ReadRequest): readonly Message[] {
  const messages = conversation?.messages ?? [];
  return pairResults(messages.filter(({ mark }) => mark !== 'earlier'));
}

function findMark({ conversation }: ReadRequest): string | null {
  const found = conversation?.messages.find(({ mark }) => mark === 'earlier');
  return found === undefined ? null : formatParts(found.parts);
}

interface ReadRequest {
  readonly body: StoredBody;
  readonly conversation: Conversation | null;
}

function readRequest({ exchange, bodies }: StoredExchange): ReadRequest | null {
  const body = toUnaskedRequest(exchange, bodies);
  const protocol = toProtocol(exchange);
  if (body === null) return null;
  return {
    body,
    conversation: protocol === null ? null : parseRequest(protocol, body, bodies.earlier),
  };
}

function toProtocol({ route }: ExchangeRecord): TextProtocol | null {
  return TextProtocol.options.find((option) => option === route) ?? null;
}

/** Formats a body for comparing: JSON with line breaks. */
function formatBody(body: StoredBody): string {
  return body.omitted === null ? formatArguments(body.text) : markOmitted(body);
}

/** Fields that are compared in another way. */
const COMPARED_ELSEWHERE = new Set([
  'messages',
  'input',
  'instructions',
  'system',
  'tools',
  'functions',
]);

/** Returns the parameters of a request; of one whose middle is not stored those that can be read, shortened. */
function listParameters({ body: { text, omitted }, conversation }: ReadRequest): object {
  const fields =
    omitted === null
      ? Object.entries(toObject(tryParse(text)))
      : (conversation?.parameters ?? []).map(({ name, value }) => [name, value] as const);
  return Object.fromEntries(fields.filter(([name]) => !COMPARED_ELSEWHERE.has(name)));
}

function compareTools(
  before: readonly Tool[],
  after: readonly Tool[],
  budget: Budget,
): readonly ComparedTool[] {
  const [left, right] = [formatTools(before), formatTools(after)];
  return [...new Set([...left.keys(), ...right.keys()])].flatMap((name): ComparedTool[] => {
    const [old, now] = [left.get(name), right.get(name)];
    if (old === now) return [];
    if (old === undefined) return [{ name, kind: 'added', pieces: [] }];
    if (now === undefined) return [{ name, kind: 'removed', pieces: [] }];
    return [{ name, kind: 'changed', pieces: diffText(old, now, budget) }];
  });
}

/** Formats the definitions of tools, by their names. */
function formatTools(tools: readonly Tool[]): ReadonlyMap<string, string> {
  return new Map(tools.map((tool) => [tool.name, formatJson(tool)]));
}

function compareAnswers(
  before: StoredExchange,
  after: StoredExchange,
  budget: Budget,
): readonly Piece[] | null {
  const [left, right] = [formatAnswer(before), formatAnswer(after)];
  return left === null || right === null ? null : diffText(left, right, budget);
}

function formatAnswer({ exchange, bodies: { returned } }: StoredExchange): string | null {
  if (returned === null) return null;
  const protocol = toProtocol(exchange);
  const response = protocol === null ? null : assembleResponse(protocol, returned);
  if (response === null) return formatBody(returned);
  const { parts, error } = response;
  return [formatParts(parts), error ?? ''].filter((text) => text !== '').join('\n\n');
}
