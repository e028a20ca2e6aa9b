import type {
  ContextParts,
  RunStep,
  StepCall,
  StepFacts,
  StepResult,
} from '../../../shared/run/run.ts';
import type { ExchangeId } from '../../../shared/exchange/exchange.ts';
import type { AssembledResponse } from '../../../shared/parse-bodies/assemble-response.ts';
import { tryParse } from '../../../shared/parse-bodies/json.ts';
import type { Part, ToolCall, ToolResult } from '../../../shared/parse-bodies/parts.ts';
import { toPrompt } from './find-sequence.ts';
import type { OutlineItem, RequestOutline } from './outline-request.ts';

/** Characters of the texts in a run; longer ones are cut. */
export const LENGTHS = {
  text: 280,
  input: 240,
  name: 200,
  title: 120,
  parameter: 80,
  changedTool: 64,
} as const;
const MAX_LISTED = 20;
const MAX_LARGEST = 5;
const MAX_TOOLS = 100;
const MIN_PASSED_ON = 12;
/** The beginning of a block that programs put before a user's text, such as reminders and facts about the machine. */
const BLOCK_START = /\s*<([a-z][\w-]*)>/uy;

export interface StepSource {
  readonly id: ExchangeId;
  readonly startedAt: number;
  readonly facts: StepFacts;
  readonly request: RequestOutline;
  readonly response: AssembledResponse | null;
  /** Number of messages at the start that the request shares with the one before. */
  readonly common: number;
}

/** Builds the step of an exchange, but for what needs the request before it. */
export function buildStep({
  id,
  startedAt,
  facts,
  request,
  response,
  common,
}: StepSource): Omit<RunStep, 'change' | 'comparison' | 'repeated' | 'requestClass'> {
  const all = [...request.messages, ...request.tail];
  const from = findNewest(request, common);
  const newest = all.slice(from);
  const results = listResults(newest, all);
  const calls = listCalls(response);
  return {
    ...facts,
    id,
    startedAt,
    prompt: toPreview(joinTexts(newest)),
    results: results.slice(0, MAX_LISTED),
    moreResults: Math.max(0, results.length - MAX_LISTED),
    answer: toPreview(joinParts(response?.parts ?? [])),
    calls: calls.slice(0, MAX_LISTED).map(toStepCall),
    moreCalls: Math.max(0, calls.length - MAX_LISTED),
    finish: response?.finish ?? null,
    error: response === null || response.error === null ? null : cut(response.error, LENGTHS.text),
    diagnosis: response?.diagnosis ?? null,
    context: measureContext(request, all, from),
    earlier:
      request.earlier === null
        ? null
        : { count: request.earlier.items.length, start: request.earlier.start },
  };
}

/** Returns the tool calls of a response. */
export function listCalls(response: AssembledResponse | null): ToolCall[] {
  return response?.parts.filter((part) => part.kind === 'call') ?? [];
}

/**
 * Returns the names of the tools that a response calls, and of those whose results the messages from `from` on bring. There may be
 * many of them, and long ones, so only the first count, and their beginnings.
 */
export function listTools(
  all: readonly OutlineItem[],
  from: number,
  response: AssembledResponse | null,
): string[] {
  const results = findResults(all.slice(from));
  const called = results.length === 0 ? null : nameCalls(all);
  return toToolNames([
    ...listCalls(response).map(({ name }) => name),
    ...results.map(({ callId }) => (callId === null ? undefined : called?.get(callId))),
  ]);
}

/** Returns each name once, as far as the history keeps them. */
export function toToolNames(names: readonly (string | null | undefined)[]): string[] {
  const distinct = new Set(names.map((name) => name?.slice(0, LENGTHS.name) ?? ''));
  return [...distinct].filter((name) => name !== '').slice(0, MAX_TOOLS);
}

/** Returns the ids of all tool calls in the messages of a request. */
export function listCallIds({ messages, tail }: RequestOutline): Set<string> {
  const parts = [...messages, ...tail].flatMap((item) => item.parts);
  return new Set(parts.flatMap((part) => (part.kind === 'call' && part.id ? [part.id] : [])));
}

/** Returns the texts that a tool call passes on, by which an agent that it starts is recognised. */
export function listPassedOn({ input }: ToolCall): string[] {
  const value = tryParse(input);
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value)
    .flatMap((text: unknown) => (typeof text === 'string' ? [toPrompt(text)] : []))
    .filter((text) => text.length >= MIN_PASSED_ON);
}

/**
 * Returns the first text of the user in a request, without what the program put around it; an empty text for none. A line that only
 * introduces the next message, as in the request for a title of opencode, is none.
 */
export function findTask({ messages }: RequestOutline): string {
  let introduction = '';
  for (const { name, parts } of messages) {
    const text = name === 'user' ? joinParts(parts) : '';
    if (introduction !== '' && text === '') return introduction;
    introduction = introduction === '' && /^.*:\s*$/u.test(text) ? text : '';
    if (text !== '' && introduction === '') return text;
  }
  return introduction;
}

/**
 * Returns the place from which on messages are new: after those of the request before, and after the answer to it. Those that a request
 * did not send are never new.
 */
export function findNewest({ messages, tail, earlier }: RequestOutline, common: number): number {
  const all = [...messages, ...tail];
  const answer = all.findLastIndex(({ name }) => name === 'assistant');
  // The last of the messages that it did not send is after all others of them.
  const notSent = earlier?.items.at(-1);
  const sent = notSent === undefined ? 0 : all.lastIndexOf(notSent) + 1;
  const from = Math.max(common, answer + 1, sent);
  return from < all.length ? from : Math.min(common, all.length);
}

/** Joins the texts of messages of users, without the blocks that the program put before them. */
export function joinTexts(items: readonly OutlineItem[]): string {
  return items
    .filter(({ name }) => name === 'user')
    .map(({ parts }) => joinParts(parts))
    .filter((text) => text !== '')
    .join('\n');
}

/** Joins the texts of parts, without the blocks that the program put before them. */
function joinParts(parts: readonly Part[]): string {
  const texts = parts.flatMap((part) => (part.kind === 'text' ? [skipBlocks(part.text)] : []));
  return texts.filter((text) => text !== '').join('\n');
}

/** Returns a text without the blocks that programs put before it. */
export function skipBlocks(text: string): string {
  let from = 0;
  for (;;) {
    BLOCK_START.lastIndex = from;
    const name = BLOCK_START.exec(text)?.[1];
    const end = name === undefined ? -1 : text.indexOf(`</${name}>`, from);
    if (name === undefined || end === -1) return text.slice(from).trim();
    from = end + name.length + 3;
  }
}

function toPreview(text: string): string | null {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  return cut(trimmed, LENGTHS.text);
}

/** Returns a text of at most this length, with an ellipsis at its end when it is longer. */
export function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}

function cutName(name: string | null | undefined): string | null {
  return name === null || name === undefined ? null : cut(name, LENGTHS.name);
}

function toStepCall({ id, name, input }: ToolCall): StepCall {
  return { id, name: cut(name, LENGTHS.name), input: cut(input, LENGTHS.input) };
}

function listResults(newest: readonly OutlineItem[], all: readonly OutlineItem[]): StepResult[] {
  const parts = findResults(newest);
  if (parts.length === 0) return [];
  const names = nameCalls(all);
  return parts.map(({ callId, isError, parts: content }) => {
    const text = readResult(content);
    return {
      callId,
      name: callId === null ? null : cutName(names.get(callId)),
      isError,
      text: toPreview(text) ?? '',
      length: text.length,
    };
  });
}

function findResults(items: readonly OutlineItem[]): ToolResult[] {
  return items.flatMap((item) => item.parts).filter((part) => part.kind === 'result');
}

function readResult(parts: readonly Part[]): string {
  return parts
    .map((part) => ('text' in part ? part.text : part.kind === 'image' ? '(image)' : ''))
    .join('\n');
}

function nameCalls(items: readonly OutlineItem[]): Map<string, string> {
  const calls = items.flatMap(({ parts }) => parts.filter((part) => part.kind === 'call'));
  return new Map(calls.flatMap(({ id, name }) => (id === null ? [] : [[id, name] as const])));
}

function measureContext(
  { system, tools }: RequestOutline,
  all: readonly OutlineItem[],
  from: number,
): ContextParts {
  const names = nameCalls(all);
  const results = findResults(all);
  return {
    system: sumLengths(system),
    tools: sumLengths(tools),
    history: sumLengths(all.slice(0, from)),
    newest: sumLengths(all.slice(from)),
    largestTools: toLargest(
      tools.map(({ name, json }) => ({ name: cutName(name) ?? 'unnamed', length: json.length })),
    ),
    largestResults: toLargest(
      results.map(({ callId, parts }) => ({
        name: (callId === null ? null : cutName(names.get(callId))) ?? 'unnamed',
        length: readResult(parts).length,
      })),
    ),
  };
}

function sumLengths(items: readonly OutlineItem[]): number {
  return items.reduce((sum, { json }) => sum + json.length, 0);
}

function toLargest(items: readonly { readonly name: string; readonly length: number }[]) {
  return items.toSorted((a, b) => b.length - a.length).slice(0, MAX_LARGEST);
}
