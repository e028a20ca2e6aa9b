import type { Candidate, FieldMap } from '../../../shared/video.ts';
import { parseJson } from '../../lib/parse-json.ts';

/** What a task's record tells, as far as it is known where to look. */
export interface ParsedTask {
  /** The status word as it is; `null` when there is none. */
  readonly word: string | null;
  /** From 0 to 1. */
  readonly progress: number | null;
  readonly cost: string | null;
}

type Scalar = string | number | boolean | null;

/** A value that is no object and no array, and where it stands. */
interface Leaf {
  readonly pointer: string;
  /** Its member's name, or its index. */
  readonly key: string;
  readonly value: Scalar;
}

/** Bounds for what is walked through: an answer that a person could make sense of has far less. */
const MAX_DEPTH = 64;
const MAX_VALUES = 20_000;
/** As long as a `Pointer` may be. */
const MAX_POINTER_LENGTH = 512;

const MAX_CANDIDATES = 20;
const MAX_WORD_LENGTH = 200;
const MAX_REASON_LENGTH = 4000;

const URL_PATTERN = /^https?:\/\/\S{1,8192}$/iu;
/** 1 to 512 visible characters. */
const SEGMENT = /^[^\p{C}\p{Z}\s]{1,512}$/u;
const PERCENTAGE = /^(\d{1,9}(?:\.\d{1,20})?)\s*(%?)$/u;
const INDEX = /^(?:0|[1-9]\d{0,9})$/u;

/** Parses an answer; `undefined` when it is not JSON. A whole number that is too large to be exact stays as its digits, a text: it may be an identifier. */
export function parseReply(text: string): unknown {
  try {
    if (/\d{16}/u.test(text)) return parseJson(text, keepDigits);
  } catch {
    // A reviver is stricter than the parser alone: it gives up on deep documents.
  }
  try {
    return parseJson(text);
  } catch {
    // Not JSON: that is what `undefined` says.
    return undefined;
  }
}

function keepDigits(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  const digits = context?.source ?? '';
  return /^\d{16,}$/u.test(digits) ? digits : value;
}

/** Whether it is nested deeper than anything here looks into it: what walks through all of it could run out of stack. */
export function isTooDeep(json: unknown, levels: number = MAX_DEPTH): boolean {
  if (typeof json !== 'object' || json === null) return false;
  return levels === 0 || Object.values(json).some((member) => isTooDeep(member, levels - 1));
}

/** Absolute http and https addresses, each once, the shallowest first. */
export function findUrls(json: unknown): Candidate[] {
  return collectCandidates(iterateLeaves(json), ({ value }) => (isUrl(value) ? value : null));
}

/** What could be the identifier of a task: it fits into a path and does not merely repeat what the request said. The shallowest first. */
export function findIdentifiers(json: unknown, request: unknown): Candidate[] {
  const said = new Set([...iterateLeaves(request)].map(({ value }) => String(value).trim()));
  return collectCandidates(iterateLeaves(json), ({ value }) => {
    const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
    return typeof text === 'string' && !said.has(text) && isIdentifier(text) ? text : null;
  });
}

/** Whether a task can be called that: it is one segment of a path, and no step up or down in it. */
export function isIdentifier(text: string): boolean {
  return SEGMENT.test(text) && text !== '.' && text !== '..' && !isUrl(text);
}

/** Reads a task's record (spec section 4.7): its status, and what the field map knows the place of. */
export function parseTask(json: unknown, map: Pick<FieldMap, 'progress' | 'cost'>): ParsedTask {
  return {
    word: findStatus(json)?.value.slice(0, MAX_WORD_LENGTH) ?? null,
    progress: map.progress === null ? null : parsePercentage(getValueAt(json, map.progress)),
    cost: map.cost === null ? null : getValueAt(json, map.cost),
  };
}

/** Numbers from 0 to 100 that are larger than they were at the same place. */
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
 * Texts of a failed task's record that its earlier answer did not have, the status word aside. An `error.message`, the service's own
 * form of an error (spec section 7), comes alone.
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

/** The text, or the number as a text, at this place (RFC 6901); `null` when there is none. */
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

/** A number over 1 is a percentage. */
function parsePercentage(text: string | null): number | null {
  const [, digits, sign] = PERCENTAGE.exec(text?.trim() ?? '') ?? [];
  if (digits === undefined) return null;
  const number = Number(digits);
  const share = number > 1 || sign === '%' ? number / 100 : number;
  return share <= 1 ? share : null;
}

/** The shallowest text member of that name. */
function findStatus(json: unknown): { readonly pointer: string; readonly value: string } | null {
  for (const { pointer, key, value } of iterateLeaves(json)) {
    if (key === 'status' && typeof value === 'string' && value !== '') return { pointer, value };
  }
  return null;
}

/** What `read` makes of the values, each once, at most twenty. */
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

/** Level by level, the shallowest first, within bounds. A document that is one bare value has no places, so it has none. */
function* iterateLeaves(json: unknown): Generator<Leaf> {
  let level: { readonly pointer: string; readonly value: object }[] =
    typeof json === 'object' && json !== null ? [{ pointer: '', value: json }] : [];
  let left = MAX_VALUES;
  for (let depth = 0; depth < MAX_DEPTH && level.length > 0; depth += 1) {
    const next: typeof level = [];
    for (const parent of level) {
      for (const [key, value] of iterateMembers(parent.value)) {
        if (left === 0) return;
        left -= 1;
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
