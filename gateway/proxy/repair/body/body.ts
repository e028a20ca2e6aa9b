import { scanJson, startsWithBom, type Member } from './json-scan.ts';
import { scanMembers } from './json-members.ts';
import type { InFlightExchange } from '../../in-flight-exchange.ts';
import { looksLikeJson } from '../headers.ts';
import { createRepair } from '../create-repair.ts';
import { parseJson } from '../../../lib/parse-json.ts';

/** The members of a JSON body that routing and repairs need. All empty for a body that is no JSON object: the service answers that. */
export interface BodyFacts {
  /** Whether the body is a JSON object. */
  readonly parsed: boolean;
  readonly model: string | null;
  readonly stream: boolean;
  readonly hasStreamOptions: boolean;
  /** The id that some clients give a conversation (`prompt_cache_key`), cut at 200 characters. */
  readonly promptCacheKey: string | null;
  /** Whether this is a legacy chat request: a `prompt` string and no `messages` (spec section 4.2). */
  readonly promptOnly: boolean;
  /** `seconds` of a video order that was sent as a number; `null` for a string or none (spec section 4.6). */
  readonly secondsNumber: number | null;
}

const NO_FACTS: BodyFacts = {
  parsed: false,
  model: null,
  stream: false,
  hasStreamOptions: false,
  promptCacheKey: null,
  promptOnly: false,
  secondsNumber: null,
};

const MAX_CACHE_KEY_LENGTH = 200;

/**
 * Reads these members in one pass, without parsing the other values. A body that is not JSON is no error here: the service answers it.
 * Of members with the same name the last one counts.
 * @throws Problem body_too_complex, as `scanJson` does.
 */
export async function readBody(body: Buffer): Promise<BodyFacts> {
  const { members } = await scanJson(body);
  if (members === null) return NO_FACTS;
  const last = new Map(members.map((member) => [member.key, member]));
  const read = (key: string): unknown => parseScalar(body, last.get(key));
  const [model, cacheKey, seconds] = [read('model'), read('prompt_cache_key'), read('seconds')];
  const prompt = last.get('prompt');
  return {
    parsed: true,
    model: typeof model === 'string' ? model : null,
    stream: read('stream') === true,
    hasStreamOptions: last.has('stream_options'),
    promptCacheKey:
      typeof cacheKey === 'string' && cacheKey !== ''
        ? cacheKey.slice(0, MAX_CACHE_KEY_LENGTH)
        : null,
    promptOnly: prompt !== undefined && body[prompt.valueStart] === QUOTE && !last.has('messages'),
    secondsNumber: typeof seconds === 'number' && Number.isFinite(seconds) ? seconds : null,
  };
}

const QUOTE = 0x22;
const COMPOUND_STARTS = new Set([0x5b, 0x7b]);

/** Parses the value of a member that is a string, number, boolean or null; `undefined` for lists, objects, and no member. */
function parseScalar(body: Buffer, member: Member | undefined): unknown {
  if (member === undefined || COMPOUND_STARTS.has(body[member.valueStart] ?? 0)) return undefined;
  return JSON.parse(body.toString('utf8', member.valueStart, member.valueEnd));
}

/** Replaces the value of `model` by `id`; every other byte stays. A body without a model is returned unchanged. */
export function setModel(body: Buffer, id: string): Buffer {
  const model = lastMember(body, 'model');
  return model === undefined ? body : replace(body, valueSpan(model), JSON.stringify(id));
}

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

interface Span {
  readonly start: number;
  readonly end: number;
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
