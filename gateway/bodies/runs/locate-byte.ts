import { endOfString } from '../../../shared/parse-bodies/canonical-json.ts';
import type { StoredBody } from '../../../shared/exchange/body.ts';
import type { JsonPath } from './outline-request.ts';

/** Texts that stand in for secrets, and may have another length than these. */
const MASK = /<service key>|<local key>|<key>/u;

/**
 * Returns the offset in bytes of a character of a text in a request, from 0. `path` leads to the text, and `character` counts from 0
 * in UTF-16 units. Returns `null` when there is no such text, when a middle is missing, or when
 * masked secrets before it may move it.
 */
export function locateByte(
  { text, omitted, masked }: Pick<StoredBody, 'text' | 'omitted' | 'masked'>,
  path: JsonPath,
  character: number,
): number | null {
  // What follows a missing middle is no valid JSON.
  const start = omitted === null ? findValue(text, path) : null;
  if (start === null) return null;
  const end = text[start] === '"' ? skipCharacters(text, start + 1, character) : start;
  // Half a character outside the Basic Multilingual Plane has no bytes of its own.
  const isDivided =
    /[\udc00-\udfff]/.test(text[end] ?? '') && /[\ud800-\udbff]/.test(text[end - 1] ?? '');
  const before = text.slice(0, isDivided ? end - 1 : end);
  return masked > 0 && MASK.test(before) ? null : Buffer.byteLength(before);
}

/** Finds the position of a value in JSON; `null` when it is not there. */
function findValue(text: string, path: JsonPath): number | null {
  let at: number | null = skipSpace(text, 0);
  for (const step of path) {
    if (at === null) return null;
    at = typeof step === 'number' ? findElement(text, at, step) : findMember(text, at, step);
  }
  return at;
}

function findElement(text: string, start: number, place: number): number | null {
  if (text[start] !== '[') return null;
  let at = skipSpace(text, start + 1);
  for (let left = place; left > 0; left -= 1) {
    at = skipSpace(text, skipValue(text, at));
    if (text[at] !== ',') return null;
    at = skipSpace(text, at + 1);
  }
  return at < text.length && text[at] !== ']' ? at : null;
}

function findMember(text: string, start: number, name: string): number | null {
  if (text[start] !== '{') return null;
  let at = skipSpace(text, start + 1);
  while (text[at] === '"') {
    const end = endOfString(text, at);
    const value = skipSpace(text, skipSpace(text, end) + 1);
    if (JSON.parse(text.slice(at, end)) === name) return value;
    at = skipSpace(text, skipValue(text, value));
    if (text[at] !== ',') return null;
    at = skipSpace(text, at + 1);
  }
  return null;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (' \t\n\r'.includes(text[at] ?? '.')) at += 1;
  return at;
}

/** Returns the position after the value that begins at a position. */
function skipValue(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length;) {
    const sign = text[at] ?? '';
    if (depth === 0 && at > start && ' \t\n\r,]}'.includes(sign)) return at;
    if (sign === '"') {
      at = endOfString(text, at);
      if (depth === 0) return at;
      continue;
    }
    if (sign === '{' || sign === '[') depth += 1;
    if (sign === '}' || sign === ']') {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
    at += 1;
  }
  return text.length;
}

/** Returns the position after so many characters of a JSON string. */
function skipCharacters(text: string, start: number, count: number): number {
  let at = start;
  for (let left = count; left > 0; left -= 1) {
    if (text[at] !== '\\') at += 1;
    else at += text[at + 1] === 'u' ? 6 : 2;
  }
  return at;
}
