import type { Span } from './terms.ts';

/** A term before its meaning is known. `name` and `operator` are `null` for words and exact texts. */
export interface ScannedTerm extends Span {
  readonly negated: boolean;
  readonly name: string | null;
  readonly operator: string | null;
  /** What follows the operator, or the whole text; a term without a name has one value. */
  readonly values: readonly ScannedValue[];
}

/** A value of a term. `pattern`: as `shared/name-pattern.ts` has it; text in quotes has no wildcards. */
export interface ScannedValue extends Span {
  readonly text: string;
  readonly pattern: string;
  /** Whether all of it is in quotes. */
  readonly quoted: boolean;
  /** Whether its last quotes are closed. */
  readonly closed: boolean;
}

const SPACE = /\s/u;
const SPACES = /\s*/uy;
const HEAD = /([a-z][a-z-]*)(:(?:[<>]=?)?|[<>]=?|=)/iuy;
const WORD = /\S+/uy;
const BARE = /[^\s",]+/uy;
const QUOTED = /"((?:[^"\\]|\\[^])*)("?)/uy;

/** Splits a filter into terms. Takes time in proportion to the length of the text. */
export function scanTerms(text: string): ScannedTerm[] {
  const terms: ScannedTerm[] = [];
  for (let at = skipSpaces(text, 0); at < text.length; at = skipSpaces(text, at)) {
    const term = scanTerm(text, at);
    terms.push(term);
    at = term.to;
  }
  return terms;
}

function skipSpaces(text: string, at: number): number {
  return at + (match(SPACES, text, at)?.[0].length ?? 0);
}

function scanTerm(text: string, from: number): ScannedTerm {
  const next = text[from + 1];
  const negated = text[from] === '-' && next !== undefined && !SPACE.test(next);
  const at = negated ? from + 1 : from;
  if (text[at] === '"') {
    const value = scanQuoted(text, at);
    return { from, to: value.to, negated, name: null, operator: null, values: [value] };
  }
  const head = match(HEAD, text, at);
  if (head === null) {
    const [word = ''] = match(WORD, text, at) ?? [];
    const to = at + word.length;
    const value = { from: at, to, text: word, pattern: word, quoted: false, closed: true };
    return { from, to, negated, name: null, operator: null, values: [value] };
  }
  const [whole, name = '', operator = ''] = head;
  const values = scanValues(text, at + whole.length);
  const to = values.at(-1)?.to ?? at + whole.length;
  // `status:>=400` is `status>=400`.
  return { from, to, negated, name, operator: operator.replace(/^:(?=.)/u, ''), values };
}

/** Scans values that are separated by commas. */
function scanValues(text: string, from: number): ScannedValue[] {
  const values = [scanValue(text, from)];
  for (let at = values[0]?.to ?? from; text[at] === ',';) {
    const value = scanValue(text, at + 1);
    values.push(value);
    at = value.to;
  }
  return values;
}

/** Scans a value: bare and quoted pieces without anything between them. */
function scanValue(text: string, from: number): ScannedValue {
  const pieces: ScannedValue[] = [];
  for (let at = from; ;) {
    const piece = text[at] === '"' ? scanQuoted(text, at) : scanBare(text, at);
    if (piece === null) break;
    pieces.push(piece);
    at = piece.to;
  }
  return {
    from,
    to: pieces.at(-1)?.to ?? from,
    text: pieces.map((piece) => piece.text).join(''),
    pattern: pieces.map(({ pattern }) => pattern).join(''),
    quoted: pieces.length > 0 && pieces.every(({ quoted }) => quoted),
    closed: pieces.at(-1)?.closed ?? true,
  };
}

function scanBare(text: string, from: number): ScannedValue | null {
  const [bare] = match(BARE, text, from) ?? [];
  if (bare === undefined) return null;
  const pattern = bare.replaceAll('\\', String.raw`\\`);
  return { from, to: from + bare.length, text: bare, pattern, quoted: false, closed: true };
}

function scanQuoted(text: string, from: number): ScannedValue {
  const [whole = '', inside = '', end] = match(QUOTED, text, from) ?? [];
  const plain = inside.replaceAll(/\\(["\\])/gu, '$1');
  const pattern = plain.replaceAll(/[\\*]/gu, String.raw`\$&`);
  return { from, to: from + whole.length, text: plain, pattern, quoted: true, closed: end === '"' };
}

function match(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}
