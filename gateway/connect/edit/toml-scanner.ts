import { parse } from 'smol-toml';
import { lineEnd, skipBlanks, skipLineBreak, type TextRange } from './text-lines.ts';

/** A value, with its items when it is a list or a table in brackets. */
export interface TomlValue extends TextRange {
  readonly kind: 'list' | 'table' | 'scalar';
  readonly items: readonly TomlItem[];
}

/** A key and its value, or, in a list, the value alone. */
export interface TomlItem extends TextRange {
  /** The names of a key such as `a.b`; empty in a list. */
  readonly key: readonly string[];
  readonly value: TomlValue;
}

const BARE_NAME = /[\w-]+/uy;
const DATE_AND_TIME = /\d{4}-\d\d-\d\d \d\d:[\d:.]+(?:[Zz]|[+-]\d\d:\d\d)?/uy;
const PLAIN_VALUE = /[^\s,\]}#]+/uy;

/** Finds the parts of a TOML text that is valid. All functions take and return offsets. */
export interface TomlScanner {
  /** Returns the names of a key, and the offset after it and the blanks that follow. */
  readKey(start: number): { key: readonly string[]; end: number };
  readItem(start: number): TomlItem;
  /** Returns the offset after blanks, line breaks, comments and commas. */
  skipGap(start: number): number;
  /** The comments so far. */
  readonly comments: readonly TextRange[];
}

/** Creates a scanner of a text. */
export function createTomlScanner(text: string): TomlScanner {
  const comments: TextRange[] = [];

  function skipGap(start: number): number {
    for (let at = start; ;) {
      let next = skipLineBreak(text, skipBlanks(text, at));
      if (text[next] === ',') next += 1;
      if (text[next] === '#') {
        comments.push({ start: next, end: lineEnd(text, next) });
        next = lineEnd(text, next);
      }
      if (next === at) return at;
      at = next;
    }
  }

  function readKey(start: number) {
    const key: string[] = [];
    for (let at = start; ; at += 1) {
      const nameStart = skipBlanks(text, at);
      const nameEnd = endOfName(text, nameStart);
      key.push(readName(text.slice(nameStart, nameEnd)));
      at = skipBlanks(text, nameEnd);
      if (text[at] !== '.') return { key, end: at };
    }
  }

  function readItem(start: number): TomlItem {
    const { key, end } = readKey(start);
    const value = readValue(skipBlanks(text, end + 1));
    return { key, value, start, end: value.end };
  }

  function readValue(start: number): TomlValue {
    if (text[start] === '[') return readBrackets(start, 'list');
    if (text[start] === '{') return readBrackets(start, 'table');
    return { kind: 'scalar', start, end: endOfScalar(text, start), items: [] };
  }

  function readBrackets(start: number, kind: 'list' | 'table'): TomlValue {
    const items: TomlItem[] = [];
    let at = skipGap(start + 1);
    while (at < text.length && text[at] !== ']' && text[at] !== '}') {
      const value = kind === 'list' ? readValue(at) : null;
      const item = value === null ? readItem(at) : { ...value, key: [], value };
      items.push(item);
      at = skipGap(item.end);
    }
    return { kind, items, start, end: at + 1 };
  }

  return { readKey, readItem, skipGap, comments };
}

function endOfName(text: string, start: number): number {
  if (text[start] === '"' || text[start] === "'") return endOfString(text, start);
  return matchEnd(BARE_NAME, text, start) ?? start + 1;
}

function readName(source: string): string {
  if (source.startsWith("'")) return source.slice(1, -1);
  return source.startsWith('"') ? (Object.keys(parse(`${source} = 0`))[0] ?? '') : source;
}

function endOfScalar(text: string, start: number): number {
  if (text[start] === '"' || text[start] === "'") return endOfString(text, start);
  return matchEnd(DATE_AND_TIME, text, start) ?? matchEnd(PLAIN_VALUE, text, start) ?? text.length;
}

function endOfString(text: string, start: number): number {
  const quote = text.charAt(start);
  const isLong = text.startsWith(quote.repeat(3), start);
  const delimiter = isLong ? quote.repeat(3) : quote;
  let at = start + delimiter.length;
  while (at < text.length && !text.startsWith(delimiter, at))
    at += quote === '"' && text[at] === '\\' ? 2 : 1;
  at += delimiter.length;
  if (!isLong) return at;
  // It may end with two quotes of its own before the three that close it.
  if (text[at] === quote) at += 1;
  return text[at] === quote ? at + 1 : at;
}

function matchEnd(pattern: RegExp, text: string, start: number): number | null {
  pattern.lastIndex = start;
  return pattern.test(text) ? pattern.lastIndex : null;
}
