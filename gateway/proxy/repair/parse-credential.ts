/** Places in which a client may put its key. The spec (section 5) has the first two; the others are frequent mistakes. */
export type CredentialPlace =
  | 'authorization'
  | 'x-api-key'
  | 'api-key'
  | 'apikey'
  | 'x-goog-api-key'
  | 'x-authorization'
  | 'query';

/** Kinds of malformed credentials. */
export type CredentialForm =
  | 'scheme-case'
  | 'no-space'
  | 'doubled-scheme'
  | 'no-scheme'
  | 'scheme-in-key'
  | 'named'
  | 'wrapped'
  | 'broken'
  | 'basic'
  | 'other-scheme'
  | 'repeated';

/** One possible meaning of a value: the token, and what was wrong with its form, if anything. */
export interface ParsedCredential {
  readonly token: string;
  readonly form?: CredentialForm;
}

/** Maximum number of candidates that one value may give. */
const MAX_CANDIDATES = 4;

/** Matches visible ASCII without the characters that people put around a key. Anything else takes the slow path. */
const PLAIN_TOKEN = /^[!#-&(-+\--;=?-[\]-_a-~]+$/u;

/**
 * Parses one value of the `Authorization` header, expected as `Bearer <key>` (RFC 6750 section 2.1); most likely candidate first. A
 * comma never belongs to a token, so the caller has split the value at commas.
 */
export function parseAuthorization(value: string): ParsedCredential[] {
  if (value.startsWith('Bearer ')) {
    const token = value.slice(7);
    if (isPlain(token)) return [{ token }];
  }
  return parseMalformed(value, true);
}

/** Parses one value of a place that holds the key alone: `x-api-key`, `api-key`, a query parameter. */
export function parseKeyHeader(value: string): ParsedCredential[] {
  if (isPlain(value)) return [{ token: value }];
  return parseMalformed(value, false);
}

/** Whether the text can only be a token, with nothing around it and no scheme or name before it. */
function isPlain(token: string): boolean {
  return PLAIN_TOKEN.test(token) && !startsWithBearer(token) && !NAME.test(token);
}

/**
 * Matches characters that people paste around a key: quotes of all languages, angle brackets, spaces and line ends, and invisible
 * characters such as a byte order mark or a zero-width space.
 */
const WRAPPING = /["'`´<>„‚＂＇\p{Pi}\p{Pf}\p{Z}\p{Cc}\p{Cf}]/u;
/** Line ends and tabs written as escapes. */
const WRITTEN_LINE_END: ReadonlySet<string> = new Set(['\\n', '\\r', '\\t']);
const NAME = /^(?:authorization|x-api-key|api[-_]?key)\s*[:=]\s*/iu;
const SCHEME = /^bearer[\s:="'<]+/iu;
const BASIC = /^basic\s+(?=[A-Za-z0-9+/_-]+=*$)/iu;

function parseMalformed(value: string, schemeExpected: boolean): ParsedCredential[] {
  const stripped = strip(value);
  const basic = BASIC.exec(stripped.rest);
  if (basic !== null) return parseBasic(stripped.rest.slice(basic[0].length));
  const form = findFault(value, stripped, schemeExpected);
  return parseToken(stripped, form, schemeExpected).slice(0, MAX_CANDIDATES);
}

/** A value without the parts that do not belong to the key, and which parts there were. */
interface StrippedValue {
  readonly rest: string;
  /** How often the word `Bearer` stood before the key. */
  readonly schemes: number;
  /** Whether the name of a header stood before the key. */
  readonly named: boolean;
}

function strip(value: string): StrippedValue {
  let rest = unwrap(value);
  let schemes = 0;
  let named = false;
  for (;;) {
    if (SCHEME.test(rest)) {
      rest = unwrap(rest.replace(SCHEME, ''));
      schemes += 1;
    } else if (NAME.test(rest)) {
      rest = unwrap(rest.replace(NAME, ''));
      named = true;
    } else break;
  }
  return rest.toLowerCase() === 'bearer' ? { rest: '', schemes, named } : { rest, schemes, named };
}

/** Returns the most helpful description of what is wrong with a value; `null` when nothing is. */
function findFault(
  value: string,
  stripped: StrippedValue,
  schemeExpected: boolean,
): CredentialForm | null {
  if (stripped.named) return 'named';
  if (!schemeExpected && stripped.schemes > 0) return 'scheme-in-key';
  if (stripped.schemes > 1) return 'doubled-scheme';
  if (schemeExpected && stripped.schemes === 0) return 'no-scheme';
  const expected = schemeExpected ? `Bearer ${stripped.rest}` : stripped.rest;
  if (value === expected) return null;
  return value.toLowerCase() === expected.toLowerCase() ? 'scheme-case' : 'wrapped';
}

function parseToken(
  stripped: StrippedValue,
  form: CredentialForm | null,
  schemeExpected: boolean,
): ParsedCredential[] {
  const { rest, schemes } = stripped;
  if (rest === '') return [];
  const parts = rest.split(/\s+/u);
  if (parts.length > 1) {
    const joined: ParsedCredential = { token: parts.join(''), form: 'broken' };
    const withWord = [parts.at(-1) ?? rest, parts[0] ?? rest].map((token): ParsedCredential => ({
      token,
      form: schemeExpected ? 'other-scheme' : 'scheme-in-key',
    }));
    return schemes > 0 ? [joined, ...withWord] : [...withWord, joined];
  }
  const complete: ParsedCredential = form === null ? { token: rest } : { token: rest, form };
  const unglued = startsWithBearer(rest) ? dropGluedSchemes(rest) : '';
  if (unglued === '') return [complete];
  const gluedForm = schemes > 0 ? 'doubled-scheme' : 'no-space';
  return [complete, { token: unglued, form: schemeExpected ? gluedForm : 'scheme-in-key' }];
}

function parseBasic(encoded: string): ParsedCredential[] {
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  const parts = colon === -1 ? [text] : [text.slice(colon + 1), text.slice(0, colon)];
  return parts
    .map((part) => unwrap(part))
    .filter((part) => PLAIN_TOKEN.test(part))
    .map((token) => ({ token, form: 'basic' }));
}

function unwrap(text: string): string {
  let start = 0;
  let end = text.length;
  while (wrappingAt(text, start) > 0) start += wrappingAt(text, start);
  while (end > start && wrappingBefore(text, end) > 0) end -= wrappingBefore(text, end);
  return text.slice(start, Math.max(start, end));
}

/** Returns how many characters at `at` are wrappingAt. */
function wrappingAt(text: string, at: number): number {
  const letter = text[at];
  if (letter === undefined) return 0;
  if (WRAPPING.test(letter)) return 1;
  return WRITTEN_LINE_END.has(text.slice(at, at + 2)) ? 2 : 0;
}

/** Returns how many characters before `end` are wrappingAt. */
function wrappingBefore(text: string, end: number): number {
  return WRITTEN_LINE_END.has(text.slice(Math.max(0, end - 2), end))
    ? 2
    : wrappingAt(text, end - 1);
}

function dropGluedSchemes(text: string): string {
  let start = 0;
  while (startsWithBearer(text.slice(start, start + 6))) start += 6;
  return unwrap(text.slice(start));
}

function startsWithBearer(text: string): boolean {
  return text.slice(0, 6).toLowerCase() === 'bearer';
}
