import type { Candidate, FieldMap } from '../../../shared/video/video.ts';
import { parseJson } from '../../lib/parse-json.ts';

/** The fields of a task's record whose places are known. */
export interface ParsedTask {
  /** The status word; `null` when there is none. */
  readonly word: string | null;
  /** From 0 to 1. */
  readonly progress: number | null;
  readonly cost: string | null;
}

type Scalar = string | number | boolean | null;

/** A value that is no object and no array, with its place. */
interface Leaf {
  readonly pointer: string;
  /** The name of its member, or its index. */
  readonly key: string;
  readonly value: Scalar;
}

/** Limits of the search; answers that people could understand are far smaller. */
const MAX_DEPTH = 64;
const MAX_VALUES = 20_000;
/** The maximum length of a JSON pointer. */
const MAX_POINTER_LENGTH = 512;

const MAX_CANDIDATES = 20;
const MAX_WORD_LENGTH = 200;
const MAX_REASON_LENGTH = 4000;

const URL_PATTERN = /^https?:\/\/\S{1,8192}$/iu;
/** Matches 1 to 512 visible characters. */
const SEGMENT = /^[^\p{C}\p{Z}\s]{1,512}$/u;
const PERCENTAGE = /^(\d{1,9}(?:\.\d{1,20})?)\s*(%?)$/u;
const INDEX = /^(?:0|[1-9]\d{0,9})$/u;

/** Parses an answer; `undefined` when it is not JSON. An integer that is too large to be exact becomes a string of its digits, because it may be an id. */
export function parseReply(text: string): unknown {
  try {
    if (/\d{16}/u.test(text)) return parseJson(text, keepDigits);
  } catch {
    // A reviver fails on deep documents that the parser alone accepts.
  }
  try {
    return parseJson(text);
  } catch {
    // The text is not JSON.
    return undefined;
  }
}

function keepDigits(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  const digits = context?.source ?? '';
  return /^\d{16,}$/u.test(digits) ? digits : value;
}

/** Whether a value is nested too deeply for a recursive search. */
export function isTooDeep(json: unknown, levels: number = MAX_DEPTH): boolean {
  if (typeof json !== 'object' || json === null) return false;
  return levels === 0 || Object.values(json).some((member) => isTooDeep(member, levels - 1));
}

/** Finds absolute http and https URLs, each once, the shallowest first. */
export function findUrls(json: unknown): Candidate[] {
  return collectCandidates(iterateLeaves(json), ({ value }) => (isUrl(value) ? value : null));
}

/** Finds values that may be the id of a task, the shallowest first: they fit into a path and do not repeat the request. */
export function findIdentifiers(json: unknown, request: unknown): Candidate[] {
  const requested = new Set([...iterateLeaves(request)].map(({ value }) => String(value).trim()));
  return collectCandidates(iterateLeaves(json), ({ value }) => {
    const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
    return typeof text === 'string' && !requested.has(text) && isIdentifier(text) ? text : null;
  });
}

/** Whether a text can be the id of a task: one segment of a path, and no dot segment. */
export function isIdentifier(text: string): boolean {
  return SEGMENT.test(text) && text !== '.' && text !== '..' && !isUrl(text);
}

/** Parses a task's record (spec section 4.7): its status, and the fields that the field map knows. */
export function parseTask(json: unknown, map: Pick<FieldMap, 'progress' | 'cost'>): ParsedTask {
  return {
    word: findStatus(json)?.value.slice(0, MAX_WORD_LENGTH) ?? null,
    progress: map.progress === null ? null : parsePercentage(getValueAt(json, map.progress)),
    cost: map.cost === null ? null : getValueAt(json, map.cost),
  };
}

/** Finds numbers from 0 to 100 that are larger than before at the same place. */
export function findGrowingNumbers(before: unknown, now: unknown): Candidate[] {
  const earlier = new Map([...iterateLeaves(before)].map(({ pointer, value }) => [pointer, value]));
  const grown = [...iterateLeaves(now)].flatMap(({ pointer, value }) => {
    const was = earlier.get(pointer);
    if (typeof value !== 'number' || typeof was !== 'number') return [];
    return was >= 0 && value > was && value <= 100 ? [{ pointer, value: String(value) }] : [];
  });
  return grown.slice(0, MAX_CANDIDATES);
}

/**
 * Finds texts of a failed task's record that may be the reason: those that earlier answers did not have, without the status word. An
 * `error.message`, the service's own form of an error (spec section 7), is the only one if it is there.
 */
export function findReasons(json: unknown, before: unknown): Candidate[] {
  const leaves = [...iterateLeaves(json)];
  const message = collectCandidates(leaves, ({ pointer, value }) =>
    pointer.endsWith('/error/message') ? toReason(value) : null,
  ).slice(0, 1);
  if (message.length > 0) return message;
  const known = new Set([...iterateLeaves(before)].map(({ value }) => value));
  const status = findStatus(json)?.pointer;
  return collectCandidates(leaves, ({ pointer, value }) =>
    pointer === status || known.has(value) ? null : toReason(value),
  );
}

/** Gets the text or number at a JSON pointer (RFC 6901), as a text; `null` when there is none. */
export function getValueAt(json: unknown, pointer: string): string | null {
  if (!pointer.startsWith('/')) return null;
  let value = json;
  for (const part of pointer.slice(1).split('/')) {
    if (typeof value !== 'object' || value === null) return null;
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(value) && !INDEX.test(key)) return null;
    value = Object.getOwnPropertyDescriptor(value, key)?.value;
  }
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : null;
}

function isUrl(value: Scalar): value is string {
  return typeof value === 'string' && URL_PATTERN.test(value) && URL.canParse(value);
}

function toReason(value: Scalar): string | null {
  if (typeof value !== 'string' || value.trim() === '') return null;
  return value.slice(0, MAX_REASON_LENGTH).toWellFormed();
}

/** Parses a progress: a number over 1 is a percentage. */
function parsePercentage(text: string | null): number | null {
  const [, digits, sign] = PERCENTAGE.exec(text?.trim() ?? '') ?? [];
  if (digits === undefined) return null;
  const number = Number(digits);
  const share = number > 1 || sign === '%' ? number / 100 : number;
  return share <= 1 ? share : null;
}

/** Finds the shallowest text member with this name. */
function findStatus(json: unknown): { readonly pointer: string; readonly value: string } | null {
  for (const { pointer, key, value } of iterateLeaves(json)) {
    if (key === 'status' && typeof value === 'string' && value !== '') return { pointer, value };
  }
  return null;
}

/** Collects the results of `read`, each once, at most twenty. */
function collectCandidates(
  leaves: Iterable<Leaf>,
  read: (leaf: Leaf) => string | null,
): Candidate[] {
  const found = new Map<string, Candidate>();
  for (const leaf of leaves) {
    const value = read(leaf);
    if (value !== null && !found.has(value)) found.set(value, { pointer: leaf.pointer, value });
    if (found.size === MAX_CANDIDATES) break;
  }
  return [...found.values()];
}

/** Iterates over scalar values level by level, within limits. A document that is one bare value has none. */
function* iterateLeaves(json: unknown): Generator<Leaf> {
  let level: { readonly pointer: string; readonly value: object }[] =
    typeof json === 'object' && json !== null ? [{ pointer: '', value: json }] : [];
  let remaining = MAX_VALUES;
  for (let depth = 0; depth < MAX_DEPTH && level.length > 0; depth += 1) {
    const next: typeof level = [];
    for (const parent of level) {
      for (const [key, value] of iterateMembers(parent.value)) {
        if (remaining === 0) return;
        remaining -= 1;
        const pointer = `${parent.pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
        if (pointer.length > MAX_POINTER_LENGTH) continue;
        if (isScalar(value)) yield { pointer, key, value };
        else if (typeof value === 'object' && value !== null) next.push({ pointer, value });
      }
    }
    level = next;
  }
}

function* iterateMembers(value: object): Generator<readonly [string, unknown]> {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield [String(index), item];
  } else {
    for (const key of Object.keys(value)) {
      yield [key, Object.getOwnPropertyDescriptor(value, key)?.value];
    }
  }
}

function isScalar(value: unknown): value is Scalar {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}
