import { foldCase } from '../../../../../shared/fold-case.ts';
import { formatCount } from '../../../../../shared/format.ts';
import { isObject } from '../../../../../shared/parse-bodies/json.ts';

/** A value of a JSON text whose name or content has a searched text. */
export interface JsonMatch {
  /** Where it is, as programs such as jq write it: `.messages[3].content`. */
  readonly path: string;
  /** The value, shortened to what surrounds the searched text. */
  readonly shown: string;
}

/** Matches that are found; more are not counted. */
export const MAX_JSON_MATCHES = 100;

/** Characters that are shown before a match, and from it on. */
const BEFORE = 40;
const FROM = 160;

/**
 * Finds the values whose name or, where they are no objects and no lists, content has a text, without regard to case: in their order, at
 * most 100.
 */
export function findInJson(value: unknown, search: string): readonly JsonMatch[] {
  const sought = foldCase(search);
  const found: JsonMatch[] = [];
  // Nested values are kept on a list, because a service may nest them deeper than calls can.
  const left: Place[] = [{ path: '', name: '', value }];
  for (let place = left.pop(); place !== undefined; place = left.pop()) {
    const { path, name } = place;
    const text = toContent(place.value);
    const at = text === null ? -1 : foldCase(text).indexOf(sought);
    if (at !== -1 || foldCase(name).includes(sought)) {
      found.push({
        path: path || '.',
        shown: text === null ? describe(place.value) : cut(text, at),
      });
      if (found.length === MAX_JSON_MATCHES) break;
    }
    left.push(...listChildren(place).toReversed());
  }
  return found;
}

interface Place {
  readonly path: string;
  /** The name in its object; empty in a list. */
  readonly name: string;
  readonly value: unknown;
}

function listChildren({ path, value }: Place): Place[] {
  if (Array.isArray(value)) {
    return value.map((one: unknown, index) => ({
      path: `${path || '.'}[${index}]`,
      name: '',
      value: one,
    }));
  }
  if (!isObject(value)) return [];
  return Object.entries(value).map(([name, one]) => ({
    path: /^[A-Za-z_]\w*$/u.test(name)
      ? `${path}.${name}`
      : `${path || '.'}[${JSON.stringify(name)}]`,
    name,
    value: one,
  }));
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
        .join(', ')} }`;
}

/** Returns the part of a text around a position; its beginning for −1. */
function cut(text: string, at: number): string {
  const from = Math.max(0, at - BEFORE);
  const to = Math.max(at, 0) + FROM;
  return `${from > 0 ? '…' : ''}${text.slice(from, to)}${to < text.length ? '…' : ''}`;
}
