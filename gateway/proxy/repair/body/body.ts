import { scanJson, startsWithBom, type Member } from './json-scan.ts';
import { scanMembers } from './json-members.ts';
import type { InFlightExchange } from '../../in-flight-exchange.ts';
import { looksLikeJson } from '../headers.ts';
import { createRepair } from '../create-repair.ts';
import { ByteChunks } from '../../../lib/byte-chunks.ts';
import { type JsonObject, tryParseJson } from '../../../lib/json-object.ts';
import { parseJson } from '../../../lib/parse-json.ts';
import { parseObjectAt, setMember, type Span, type TextChange } from './text-change.ts';

/** The members of a JSON body that routing and repairs need. All empty for a body that is no JSON object: the service answers that. */
export interface BodyFacts {
  /** Whether the body is a JSON object. */
  readonly parsed: boolean;
  readonly model: string | null;
  /** Where `model` and what belongs to it are; `null` when it names no model. */
  readonly places: ModelPlaces | null;
  readonly stream: boolean;
  readonly hasStreamOptions: boolean;
  /** Where a stream is asked for its usage, and the text that does it; `null` when it is asked already, and for an empty object. */
  readonly usageRequest: TextChange | null;
  /** The limit that the request sets for the tokens of its response; `null` for none. */
  readonly maxOutput: number | null;
  /** What the service finds cached text by (`prompt_cache_key`), cut at 200 characters: some clients give the id of a conversation. */
  readonly promptCacheKey: string | null;
  /** What says whose request it is; `null` when there is nothing. Longer values than any program sends are left out. */
  readonly senderMembers: JsonObject | null;
  /** Whether this is a legacy chat request: a `prompt` string and no `messages` (spec section 4.2). */
  readonly promptOnly: boolean;
  /** `seconds` of a video order that was sent as a number; `null` for a string or none (spec section 4.6). */
  readonly secondsNumber: number | null;
}

const NO_FACTS: BodyFacts = {
  parsed: false,
  model: null,
  places: null,
  stream: false,
  hasStreamOptions: false,
  usageRequest: null,
  maxOutput: null,
  promptCacheKey: null,
  senderMembers: null,
  promptOnly: false,
  secondsNumber: null,
};

/** The values of these members, whether there are any tools, and the end of the last member. */
export interface ModelPlaces {
  readonly model: Span;
  readonly reasoning: Span | null;
  readonly reasoning_effort: Span | null;
  readonly diagnostics: Span | null;
  readonly prompt_cache_options: Span | null;
  readonly hasTools: boolean;
  readonly end: number;
}

const MAX_CACHE_KEY_LENGTH = 200;
const MAX_SENDER_BYTES = 16 * 1024;

/**
 * Reads these members in one pass, without parsing the other values. A body that is not JSON is no error here: the service answers it.
 * Of members with the same name the last one counts.
 * @throws Problem body_too_complex, as `scanJson` does.
 */
export function readBody(received: Buffer | ByteChunks): BodyFacts | Promise<BodyFacts> {
  const body = received instanceof ByteChunks ? received : new ByteChunks([received]);
  const scanned = scanJson(body);
  return scanned instanceof Promise
    ? scanned.then(({ members }) => toFacts(body, members))
    : toFacts(body, scanned.members);
}

function toFacts(body: ByteChunks, members: readonly Member[] | null): BodyFacts {
  if (members === null) return NO_FACTS;
  const last: { [key in NeededKey]?: Member } = {};
  for (const member of members) {
    if (isNeeded(member.key)) last[member.key] = member;
  }
  const model = parseScalar(body, last.model);
  const cacheKey = parseScalar(body, last.prompt_cache_key);
  const seconds = parseScalar(body, last.seconds);
  const { prompt, messages } = last;
  return {
    parsed: true,
    model: typeof model === 'string' ? model : null,
    places: findPlaces(body, last, members.at(-1)),
    stream: parseScalar(body, last.stream) === true,
    hasStreamOptions: last.stream_options !== undefined,
    usageRequest: findUsageRequest(body, last.stream_options, members.at(-1)),
    maxOutput: parseMaxOutput(body, last),
    promptCacheKey:
      typeof cacheKey === 'string' && cacheKey !== ''
        ? cacheKey.slice(0, MAX_CACHE_KEY_LENGTH)
        : null,
    senderMembers: parseSenderMembers(body, last),
    promptOnly: prompt !== undefined && messages === undefined && firstByte(body, prompt) === QUOTE,
    secondsNumber: typeof seconds === 'number' && Number.isFinite(seconds) ? seconds : null,
  };
}

function findPlaces(
  body: ByteChunks,
  found: { readonly [key in NeededKey]?: Member },
  last: Member | undefined,
): ModelPlaces | null {
  const { model, tools } = found;
  if (model === undefined || last === undefined) return null;
  return {
    model: valueSpan(model),
    reasoning: toSpan(found.reasoning),
    reasoning_effort: toSpan(found.reasoning_effort),
    diagnostics: toSpan(found.diagnostics),
    prompt_cache_options: toSpan(found.prompt_cache_options),
    hasTools: tools !== undefined && !isEmptyList(body, tools),
    end: last.valueEnd,
  };
}

/** A longer list has an item, or is written as no program does. */
const MAX_EMPTY_LIST = 64;

function isEmptyList(body: ByteChunks, { valueStart, valueEnd }: Member): boolean {
  if (valueEnd - valueStart > MAX_EMPTY_LIST) return false;
  return /^\[\s*\]$/u.test(body.slice(valueStart, valueEnd).toString());
}

function toSpan(member: Member | undefined): Span | null {
  return member === undefined ? null : valueSpan(member);
}

function parseMaxOutput(
  body: ByteChunks,
  members: { readonly [key in NeededKey]?: Member },
): number | null {
  for (const key of MAX_OUTPUT_KEYS) {
    const value = parseScalar(body, members[key]);
    if (typeof value === 'number' && value >= 0) return value;
  }
  return null;
}

function parseSenderMembers(
  body: ByteChunks,
  members: { readonly [key in NeededKey]?: Member },
): JsonObject | null {
  let found: Record<string, unknown> | null = null;
  for (const key of SENDER_KEYS) {
    const member = members[key];
    if (member === undefined || member.valueEnd - member.valueStart > MAX_SENDER_BYTES) continue;
    found ??= {};
    found[key] = tryParseJson(body.slice(member.valueStart, member.valueEnd).toString());
  }
  return found;
}

function findUsageRequest(
  body: ByteChunks,
  options: Member | undefined,
  last: Member | undefined,
): TextChange | null {
  if (last === undefined) return null;
  const end = last.valueEnd;
  const span = options === undefined ? null : valueSpan(options);
  const given = span === null ? {} : parseObjectAt(body, span);
  if (given === null || given['include_usage'] === true) return null;
  return setMember('stream_options', { ...given, include_usage: true }, { span, end });
}

/** The names of the limit in the three protocols. */
const MAX_OUTPUT_KEYS = ['max_completion_tokens', 'max_output_tokens', 'max_tokens'] as const;
type MaxOutputKey = (typeof MAX_OUTPUT_KEYS)[number];

/** Members with ids of sessions and agents, from several programs. */
const SENDER_KEYS = ['metadata', 'client_metadata', 'session_id', 'conversation'] as const;

type NeededKey =
  | 'model'
  | 'stream'
  | 'stream_options'
  | 'prompt_cache_key'
  | 'prompt'
  | 'messages'
  | 'seconds'
  | 'reasoning'
  | 'reasoning_effort'
  | 'diagnostics'
  | 'prompt_cache_options'
  | 'tools'
  | (typeof SENDER_KEYS)[number]
  | MaxOutputKey;

function isNeeded(key: string): key is NeededKey {
  return NEEDED.has(key);
}

const NEEDED: ReadonlySet<string> = new Set<NeededKey>([
  'model',
  'stream',
  'stream_options',
  'prompt_cache_key',
  'prompt',
  'messages',
  'seconds',
  'reasoning',
  'reasoning_effort',
  'diagnostics',
  'prompt_cache_options',
  'tools',
  ...SENDER_KEYS,
  ...MAX_OUTPUT_KEYS,
]);

const QUOTE = 0x22;
const COMPOUND_STARTS = new Set([0x5b, 0x7b]);

/** Parses the value of a member that is a string, number, boolean or null; `undefined` for lists, objects, and no member. */
function parseScalar(body: ByteChunks, member: Member | undefined): unknown {
  if (member === undefined || COMPOUND_STARTS.has(firstByte(body, member))) return undefined;
  return JSON.parse(body.slice(member.valueStart, member.valueEnd).toString());
}

function firstByte(body: ByteChunks, { valueStart }: Member): number {
  return body.slice(valueStart, valueStart + 1)[0] ?? 0;
}

/** Returns the changes of a body that send another model, and a reasoning effort in the member of the protocol unless it is `null`. */
export function changeModel(
  body: Buffer | ByteChunks,
  places: ModelPlaces,
  {
    model,
    effort,
  }: {
    readonly model: string;
    readonly effort: { readonly protocol: EffortProtocol; readonly value: string } | null;
  },
): TextChange[] {
  const named = { ...places.model, text: JSON.stringify(model) };
  if (effort === null) return [named];
  const { end, reasoning: span } = places;
  if (effort.protocol === 'chat') {
    const at = { span: places.reasoning_effort, end };
    return [named, setMember('reasoning_effort', effort.value, at)];
  }
  const chunks = body instanceof ByteChunks ? body : new ByteChunks([body]);
  const given = span === null ? null : parseObjectAt(chunks, span);
  return [named, setMember('reasoning', { ...given, effort: effort.value }, { span, end })];
}

/** The protocols with a member for the reasoning effort: `reasoning_effort`, and `reasoning.effort`. */
export type EffortProtocol = 'chat' | 'responses';

/** Turns a legacy `prompt` into `messages` with one user message; the text stays byte for byte. */
export function promptToMessages(body: Buffer): Buffer {
  const prompt = lastMember(body, 'prompt');
  if (prompt === undefined) return body;
  const { keyStart, valueStart, valueEnd } = prompt;
  const text = body.subarray(valueStart, valueEnd);
  const messages = Buffer.concat([
    Buffer.from('"messages":[{"role":"user","content":'),
    text,
    Buffer.from('}]'),
  ]);
  return replace(body, { start: keyStart, end: valueEnd }, messages);
}

/** Turns a numeric `seconds` into the string that the service expects; every other byte stays. */
export function secondsToString(body: Buffer): Buffer {
  const seconds = lastMember(body, 'seconds');
  if (seconds === undefined) return body;
  const { start, end } = valueSpan(seconds);
  const number = Number(body.toString('latin1', start, end));
  return Number.isFinite(number) ? replace(body, { start, end }, `"${number}"`) : body;
}

/** Removes every `stream_options` with the comma that belongs to it; every other byte stays. */
export function removeStreamOptions(body: Buffer): Buffer {
  const members = scanMembers(body);
  const lastOther = members.findLastIndex(isOther);
  const spans = members
    .slice(0, Math.max(lastOther, 0))
    .flatMap((member, index) => (isOther(member) ? [] : [spanToNext(members, index)]));
  const last = members.at(-1);
  const first = members[0];
  if (last !== undefined && first !== undefined && lastOther < members.length - 1) {
    const start = members[lastOther]?.valueEnd ?? first.keyStart;
    spans.push({ start, end: last.valueEnd });
  }
  return cut(body, spans);
}

function isOther({ key }: Member): boolean {
  return key !== 'stream_options';
}

function spanToNext(members: readonly Member[], index: number): Span {
  const start = members[index]?.keyStart ?? 0;
  return { start, end: members[index + 1]?.keyStart ?? start };
}

/** Returns the body without the given spans, which are sorted and do not overlap. */
function cut(body: Buffer, spans: readonly Span[]): Buffer {
  if (spans.length === 0) return body;
  const starts = [0, ...spans.map(({ end }) => end)];
  const ends = [...spans.map(({ start }) => start), body.length];
  return Buffer.concat(starts.map((start, index) => body.subarray(start, ends[index])));
}

function valueSpan({ valueStart, valueEnd }: Member): Span {
  return { start: valueStart, end: valueEnd };
}

function lastMember(body: Buffer, key: string): Member | undefined {
  return scanMembers(body).findLast((member) => member.key === key);
}

function replace(body: Buffer, { start, end }: Span, text: string | Buffer): Buffer {
  const middle = typeof text === 'string' ? Buffer.from(text) : text;
  return Buffer.concat([body.subarray(0, start), middle, body.subarray(end)]);
}

/** Removes a byte order mark before JSON (RFC 8259 section 8.1). */
export function stripBom(bytes: Buffer, inFlight: InFlightExchange): Buffer {
  if (!startsWithBom(bytes) || !looksLikeJson(bytes)) return bytes;
  inFlight.addRepairs([createRepair('byte-order-mark', 'JSON after a byte order mark', 'JSON')]);
  return bytes.subarray(3);
}

/**
 * Adds the task's id as `id`, where official SDKs expect it; every other byte stays. `null` when there is an `id` already, or the body
 * is no JSON object.
 */
export function addVideoId(body: Buffer, taskId: string): Buffer | null {
  if (!isObject(body)) return null;
  const members = scanMembers(body);
  if (members.some(({ key }) => key === 'id')) return null;
  const open = body.indexOf('{') + 1;
  const member = `"id":${JSON.stringify(taskId)}${members.length === 0 ? '' : ','}`;
  return Buffer.concat([body.subarray(0, open), Buffer.from(member), body.subarray(open)]);
}

function isObject(body: Buffer): boolean {
  try {
    const value: unknown = parseJson(body.toString('utf8', startsWithBom(body) ? 3 : 0));
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    // Not JSON: the response is passed on unchanged.
    return false;
  }
}
