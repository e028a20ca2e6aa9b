import { hash } from 'node:crypto';
import { formatCount, pluralize } from '../../../shared/format.ts';
import { formatArguments, formatJson, tryParse } from '../../../shared/parse-bodies/json.ts';
import type { Conversation } from '../../../shared/parse-bodies/parse-request.ts';
import {
  describeCall,
  type Message,
  pairResults,
  type Part,
  type ToolResult,
} from '../../../shared/parse-bodies/parts.ts';
import { block, type Content, fold, type Markup, markup } from './markup.ts';

/** What a reader has seen of the exchange before. */
export interface Shown {
  /** Id of the exchange, which is its anchor. */
  readonly id: string;
  /** How it is named: `step 3`. */
  readonly name: string;
  /** Digests of its messages. */
  readonly digests: readonly string[];
  /** Digest of its answer; `null` when none is shown. */
  readonly answer: string | null;
  /** Number of secrets that are masked in what the next one leaves out. */
  readonly masked: number;
}

/** Where a request is shown. */
export interface RequestPlace {
  /** Its exchange. */
  readonly shown: Pick<Shown, 'id' | 'name'>;
  /** The step before, or the exchange before in a list; `null` for none. */
  readonly before: Shown | null;
  /** Whether the one before is that of its sequence, so that this one goes on from its answer. */
  readonly isStep: boolean;
  /** Returns the name of the tool that a call without its answer used. */
  readonly nameCall: (callId: string | null) => string | null;
  /** System prompts and definitions of tools that the page has, by their digests. */
  readonly seen: Map<string, Pick<Shown, 'id' | 'name'>>;
}

/** Longer texts are folded, but for answers. */
const LONG = 2_000;
/** An answer has no more messages than this in the next request. */
const MAX_MESSAGES = 50;
/** Values that are nested deeper are compared as they are written. */
const MAX_DEPTH = 100;
/** An image of a kind that browsers show and that has no markup of its own. */
const IMAGE = /^data:image\/(?:png|jpeg|gif|webp);base64,[\w+/]+={0,2}$/u;
const SYSTEM_ROLES: readonly string[] = ['system', 'developer'];
const ROLES: Readonly<Record<string, string>> = { user: 'User', assistant: 'Earlier answer' };

/** Returns digests of the messages as they are shown, without the mark before those that a request sent itself. */
export function listDigests({ messages }: Conversation): readonly string[] {
  return listMessages(messages).map((message) => toDigest(message));
}

/** Returns digests of the messages as the next request has them: each result is under its call. */
export function listNextDigests({ messages }: Conversation): readonly string[] {
  return pairResults(listMessages(messages)).map((message) => toDigest(message));
}

function listMessages(messages: readonly Message[]): readonly Message[] {
  return messages.filter(({ mark }) => mark !== 'earlier');
}

function toDigest(value: unknown): string {
  return hash('sha256', JSON.stringify(value) ?? '', 'base64');
}

/** Returns a digest of the content of an answer, however it is written as JSON; `null` when it has none. */
export function digestAnswer(parts: readonly Part[]): string | null {
  const text = parts.map((part) => (part.kind === 'text' ? part.text : '')).join('');
  const others = parts.flatMap((part) => {
    if (part.kind === 'call') return [[part.name, sortMembers(tryParse(part.input) ?? part.input)]];
    return part.kind === 'text' || part.kind === 'reasoning' ? [] : [sortMembers(part)];
  });
  if (text.trim() === '' && others.length === 0) return null;
  return toDigest([text.trim(), others]);
}

function sortMembers(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return value;
  if (Array.isArray(value)) return value.map((one: unknown) => sortMembers(one, depth + 1));
  const sorted = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return sorted.map(([name, inner]) => [name, sortMembers(inner, depth + 1)]);
}

/** Returns the messages that have the answer that was shown before; a client may have changed it, and there are none then. */
function findShownAnswer(
  messages: readonly Message[],
  { before, isStep }: Pick<RequestPlace, 'before' | 'isStep'>,
): ReadonlySet<Message> {
  if (before === null || !isStep) return new Set();
  const { digests, answer } = before;
  const start = messages.findIndex(({ role }, at) => role === 'assistant' && at >= digests.length);
  const found = new Set<Message>();
  if (answer === null || start === -1) return found;
  for (const message of messages.slice(start, start + MAX_MESSAGES)) {
    if (message.role !== 'assistant') break;
    found.add(message);
    if (digestAnswer([...found].flatMap(({ parts }) => parts)) === answer) return found;
  }
  return new Set();
}

/** Returns for each message whether it is left out, because the exchange before has it at the same place. */
export function findLeftOut(
  digests: readonly string[],
  { before, isStep }: Pick<RequestPlace, 'before' | 'isStep'>,
): readonly boolean[] {
  const repeats = digests.map((digest, at) => digest === before?.digests[at]);
  const isRepeated = before !== null && (isStep || before.digests.every((_, at) => repeats[at]));
  return isRepeated ? repeats : digests.map(() => false);
}

/** Returns what is shown of the messages that were rebuilt before those that a request sent itself. */
export function listShownRebuilt(
  conversation: Conversation | null,
  digests: readonly string[],
  place: Pick<RequestPlace, 'before' | 'isStep'>,
): readonly Part[] {
  const { messages: all, prompts } = conversation ?? { messages: [], prompts: 0 };
  const mark = all.findIndex((message) => message.mark === 'earlier');
  const leftOut = findLeftOut(digests, place);
  const answer = findShownAnswer(listMessages(all), place);
  return all.slice(0, Math.max(0, mark)).flatMap((message, at) => {
    // The prompt of the request itself stands before them.
    if (at < prompts || leftOut[at] === true) return [];
    return answer.has(message)
      ? message.parts.flatMap((part) => (part.kind === 'call' ? (part.result?.parts ?? []) : []))
      : message.parts;
  });
}

/** Shows a request: its parameters, and what the one before did not have. */
export function viewRequest(
  { parameters, tools, messages: all }: Conversation,
  digests: readonly string[],
  place: RequestPlace,
): Markup {
  const { before } = place;
  const messages = listMessages(all);
  const mark = all.findIndex((message) => message.mark === 'earlier');
  const leftOut = findLeftOut(digests, place);
  const left = leftOut.filter(Boolean).length;
  const answer = findShownAnswer(messages, place);
  // The head of the exchange names the model.
  const named = parameters.filter(({ name }) => name !== 'model');
  return markup`${
    named.length === 0
      ? null
      : markup`<p class="dim">${named.map(({ name, value }) => `${name} ${value}`).join(' · ')}</p>\n`
  }${viewTools(tools, place)}${
    left === 0 || before === null
      ? null
      : markup`<p class="dim">${pluralize(left, 'message')} of ${linkTo(before)} ${left === 1 ? 'is' : 'are'} left out.</p>\n`
  }${messages.map((message, at) => {
    const marked = at === mark ? viewMark(all[mark]) : null;
    if (leftOut[at] === true) return marked;
    const view = answer.has(message) ? viewResults(message, place) : viewMessage(message, place);
    return [marked, view];
  })}${mark === messages.length ? viewMark(all[mark]) : null}`;
}

/** Says what stands before the messages that a request sent itself. */
function viewMark(mark: Message | undefined): Markup {
  const texts = mark?.parts.map((part) => (part.kind === 'text' ? part.text : '')) ?? [];
  return markup`<p class="dim">${texts.join('')}</p>\n`;
}

function linkTo({ id, name }: Pick<Shown, 'id' | 'name'>): Markup {
  return markup`<a href="#${id}">${name}</a>`;
}

/** Shows the definitions of tools, those of an earlier exchange by a link to it. */
function viewTools(tools: Conversation['tools'], { seen, shown }: RequestPlace): Markup | null {
  if (tools.length === 0) return null;
  const digest = toDigest(tools);
  const earlier = seen.get(digest);
  const count = pluralize(tools.length, 'tool');
  if (earlier !== undefined)
    return markup`<p class="dim">${count}, as in ${linkTo(earlier)}.</p>\n`;
  seen.set(digest, shown);
  const definitions = tools.map(({ name, description, schema }) =>
    fold(
      name,
      markup`${description === null ? null : block(description)}${schema === null ? null : block(formatJson(schema))}`,
    ),
  );
  return markup`${fold(`${count}: ${tools.map(({ name }) => name).join(', ')}`, definitions)}\n`;
}

/** Shows the results in an answer that the page has already, with its calls. */
function viewResults({ parts }: Message, place: RequestPlace): Content {
  return parts.map((part) =>
    part.kind === 'call' && part.result !== null ? viewResult(part.result, part.name, place) : null,
  );
}

function viewMessage(message: Message, place: RequestPlace): Content {
  const { role, parts, mark } = message;
  if (mark === 'omitted')
    return markup`<p class="dim">The messages in the middle are not stored.</p>\n`;
  if (SYSTEM_ROLES.includes(role)) return viewSystem(message, place);
  const label = ROLES[role] ?? role;
  if (parts.length === 0) return markup`<p class="label">${label}: empty</p>\n`;
  return parts.map((part) => viewPart(part, label, place));
}

function viewSystem({ role, parts }: Message, { seen, shown }: RequestPlace): Markup {
  const digest = toDigest({ role, parts });
  const earlier = seen.get(digest);
  if (earlier !== undefined)
    return markup`<p class="dim">System prompt as in ${linkTo(earlier)}.</p>\n`;
  seen.set(digest, shown);
  const texts = parts.map((part) => (part.kind === 'text' ? part.text : formatJson(part)));
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  const label = `System prompt, ${pluralize(length, 'character')}`;
  return markup`<details class="words"><summary>${label}</summary>${texts.map(block)}</details>\n`;
}

/** Shows a part of an answer. */
export function viewAnswerPart(part: Part, nameCall: RequestPlace['nameCall']): Content {
  if (part.kind === 'text')
    return part.text.trim() === '' ? null : viewText('Answer', part.text.trim(), Infinity);
  return viewPart(part, 'Answer', { nameCall });
}

function viewPart(part: Part, label: string, place: Pick<RequestPlace, 'nameCall'>): Content {
  switch (part.kind) {
    case 'text':
      return viewText(label, part.text, LONG);
    case 'reasoning':
      return part.text === '' ? null : viewText('Reasoning', part.text, 0);
    case 'call':
      return [
        viewCode(`Call of ${part.name}`, formatArguments(part.input)),
        part.result === null ? null : viewResult(part.result, part.name, place),
      ];
    case 'result':
      return viewResult(
        part,
        part.call === undefined ? place.nameCall(part.callId) : describeCall(part.call),
        place,
      );
    case 'image':
      return viewImage(part.source);
    case 'other':
      return viewCode(label, formatJson(part.value));
  }
}

function viewResult(
  { parts, isError }: ToolResult,
  name: string | null,
  place: Pick<RequestPlace, 'nameCall'>,
): Content {
  const label = `Result of ${name ?? 'a tool'}${isError ? ', an error' : ''}`;
  if (parts.length === 0) return viewCode(label, '', isError);
  return parts.map((part) =>
    part.kind === 'text' ? viewCode(label, part.text, isError) : viewPart(part, label, place),
  );
}

function viewText(label: string, text: string, longest: number): Markup {
  if (text.length <= longest)
    return markup`<div class="part"><p class="label">${label}</p>${block(text)}</div>\n`;
  return markup`<details class="words"><summary>${label}, ${formatCount(text.length)} characters</summary>${block(text)}</details>\n`;
}

/** Shows what a program reads or writes, with a mark for an error. */
export function viewCode(label: string, text: string, isError = false): Markup {
  const mark = isError ? ' bad' : '';
  if (text === '')
    return markup`<div class="part${mark}"><p class="label">${label}: empty</p></div>\n`;
  if (text.length <= LONG)
    return markup`<div class="part code${mark}"><p class="label">${label}</p>${block(text)}</div>\n`;
  return markup`<div class="part${mark}">${fold(`${label}, ${formatCount(text.length)} characters`, block(text))}</div>\n`;
}

/** Shows an image whose bytes are stored; any other is only named, so that nothing is loaded. */
function viewImage(source: string): Markup {
  if (IMAGE.test(source))
    return markup`<div class="part"><p class="label">Image</p><img src="${source}" alt="An image of this message"></div>\n`;
  return viewCode('Image', source.replace(/^(data:[^,]*),.*$/su, '$1'));
}
