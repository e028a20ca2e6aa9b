import { type Member, startsWithBom, keyText } from './json-scan.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;

/**
 * Finds the members of the outermost JSON object without parsing their values; duplicates are all included. Works on bytes, so neither
 * invalid UTF-8 nor deep nesting is a problem. For a body that is no JSON object the result is meaningless, but it never throws.
 */
export function scanMembers(body: Buffer): Member[] {
  const members: Member[] = [];
  let at = skipSpace(body, startsWithBom(body) ? 3 : 0);
  if (body[at] !== 0x7b) return members;
  at = skipSpace(body, at + 1);
  while (body[at] === QUOTE) {
    const keyEnd = skipString(body, at);
    const colon = skipSpace(body, keyEnd);
    if (body[colon] !== COLON) return members;
    const valueStart = skipSpace(body, colon + 1);
    const valueEnd = skipValue(body, valueStart);
    members.push({
      key: keyText(body.subarray(at, keyEnd)),
      keyStart: at,
      keyEnd,
      valueStart,
      valueEnd,
    });
    const comma = skipSpace(body, valueEnd);
    if (body[comma] !== COMMA) return members;
    at = skipSpace(body, comma + 1);
  }
  return members;
}

/** Returns the offset of the first byte from `at` on that is not white space. */
function skipSpace(body: Buffer, at: number): number {
  let index = at;
  while (isSpace(body[index])) index += 1;
  return index;
}

/** Returns the offset after the string that begins at `at`. */
function skipString(body: Buffer, at: number): number {
  let quote = body.indexOf(QUOTE, at + 1);
  while (quote !== -1 && isEscaped(body, quote)) quote = body.indexOf(QUOTE, quote + 1);
  return quote === -1 ? body.length : quote + 1;
}

function isEscaped(body: Buffer, at: number): boolean {
  let first = at;
  while (body[first - 1] === BACKSLASH) first -= 1;
  return (at - first) % 2 === 1;
}

/** Returns the offset after the value that begins at `at`. */
function skipValue(body: Buffer, at: number): number {
  const first = body[at] ?? -1;
  if (first === QUOTE) return skipString(body, at);
  return isOpen(first) ? skipNested(body, at) : skipBare(body, at);
}

function skipNested(body: Buffer, at: number): number {
  let depth = 0;
  let index = at;
  while (index < body.length) {
    const byte = body[index] ?? -1;
    if (byte === QUOTE) {
      index = skipString(body, index);
      continue;
    }
    if (isOpen(byte)) depth += 1;
    else if (isClose(byte)) depth -= 1;
    index += 1;
    if (depth === 0) return index;
  }
  return index;
}

function skipBare(body: Buffer, at: number): number {
  let index = at;
  while (index < body.length) {
    const byte = body[index] ?? -1;
    if (byte === COMMA || isClose(byte) || isSpace(byte)) return index;
    index += 1;
  }
  return index;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function isOpen(byte: number): boolean {
  return byte === 0x5b || byte === 0x7b;
}

function isClose(byte: number): boolean {
  return byte === 0x5d || byte === 0x7d;
}
