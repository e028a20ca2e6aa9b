import { formatCount } from '../../../../../shared/format.ts';
import { isObject } from '../../../../../shared/parse-bodies/json.ts';
import { toSearchPattern } from './find-matches.ts';

/** A value of a JSON text whose name or content has a searched text. */
export interface JsonMatch {
  /** Where it is, as programs such as jq write it: `.messages[3].content`. */
  readonly path: string;
  /** The value, shortened to what surrounds the searched text. */
  readonly shown: string;
}

/** Matches that are found; more are not counted. */
export const MAX_JSON_MATCHES = 100;

/** What is within a longer path is not looked at: nobody copies one. */
const MAX_PATH = 4_000;
/** Characters that are shown before a match, and from it on. */
const BEFORE = 40;
const FROM = 160;

/** A value by its index or name. */
type Entry = readonly [name: number | string, value: unknown];

/**
 * Finds the values whose name or, where they are no objects and no lists, content has a text, without regard to case: in their order, at
 * most 100.
 */
export function findInJson(value: unknown, search: string): readonly JsonMatch[] {
  const pattern = toSearchPattern(search);
  const found: JsonMatch[] = [];
  // A body may have very many values, and nest them deeper than calls can.
  const open = [{ path: '', entries: listEntries(value) }];
  for (let last = open.at(-1); last !== undefined; last = open.at(-1)) {
    const next = last.entries.next();
    if (next.done === true) {
      open.pop();
      continue;
    }
    const [name, one] = next.value;
    const text = toContent(one);
    const at = text === null ? -1 : text.search(pattern);
    const isFound = at !== -1 || (typeof name === 'string' && name.search(pattern) !== -1);
    if (!isFound && text !== null) continue;
    const path = join(last.path, name);
    if (path.length > MAX_PATH) continue;
    if (isFound) found.push({ path, shown: text === null ? describe(one) : cut(text, at) });
    if (found.length === MAX_JSON_MATCHES) break;
    if (text === null) open.push({ path, entries: listEntries(one) });
  }
  return found;
}

function listEntries(value: unknown): IterableIterator<Entry> {
  if (Array.isArray(value)) return value.entries();
  return Object.entries(isObject(value) ? value : {}).values();
}

function join(path: string, name: number | string): string {
  if (typeof name === 'string' && /^[A-Za-z_]\w*$/u.test(name)) return `${path}.${name}`;
  return `${path || '.'}[${JSON.stringify(name)}]`;
}

/** Returns what a value says by itself; `null` for objects and lists. */
function toContent(value: unknown): string | null {
  if (typeof value === 'string') return value;
  return typeof value === 'object' && value !== null ? null : String(value);
}

function describe(value: unknown): string {
  return Array.isArray(value)
    ? `[ ${formatCount(value.length)} ]`
    : `{ ${Object.keys(value ?? {})
        .slice(0, 5)
        .join(', ')
        .slice(0, FROM)} }`;
}

/** Returns the part of a text around a position; its beginning for −1. */
function cut(text: string, at: number): string {
  const from = Math.max(0, at - BEFORE);
  const to = Math.max(at, 0) + FROM;
  return `${from > 0 ? '…' : ''}${text.slice(from, to)}${to < text.length ? '…' : ''}`;
}
