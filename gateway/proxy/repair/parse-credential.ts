/** Where a client may put its key. The spec (section 5) knows the first two; the others are mistakes that are understood. */
export type CredentialPlace =
  | 'authorization'
  | 'x-api-key'
  | 'api-key'
  | 'apikey'
  | 'x-goog-api-key'
  | 'x-authorization'
  | 'query';

/** What can be wrong with the form of a credential. */
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

/** One way to understand what was sent: the token, and what was wrong with its form, if anything was. */
export interface ParsedCredential {
  readonly token: string;
  readonly form?: CredentialForm;
}

/** More readings of one value than this are never needed. */
const MAX_READINGS = 4;

/** Visible ASCII without what people put around a key. Other letters are looked at closely. */
const PLAIN_TOKEN = /^[!#-&(-+\--;=?-[\]-_a-~]+$/u;

/**
 * Reads one value of the `Authorization` header, expected as `Bearer <key>` (RFC 6750 section 2.1); likeliest reading first.
 * A comma never belongs to a token, so the caller has cut the value at commas.
 */
export function parseAuthorization(value: string): ParsedCredential[] {
  if (value.startsWith('Bearer ')) {
    const token = value.slice(7);
    if (isPlain(token)) return [{ token }];
  }
  return readMessy(value, true);
}

/** Reads one value of a place where the key stands alone: `x-api-key`, `api-key`, a query parameter. */
export function parseKeyHeader(value: string): ParsedCredential[] {
  if (isPlain(value)) return [{ token: value }];
  return readMessy(value, false);
}

/** A token with nothing before, in or around it that could be something else. */
function isPlain(token: string): boolean {
  return PLAIN_TOKEN.test(token) && !startsWithBearer(token) && !NAME.test(token);
}

/**
 * What people paste around a key: quotes of all languages, angle brackets, spaces and line ends, and what nobody sees, such as a byte
 * order mark or a zero-width space.
 */
const WRAPPING = /["'`´<>„‚＂＇\p{Pi}\p{Pf}\p{Z}\p{Cc}\p{Cf}]/u;
/** A line end that somebody wrote out. */
const WRITTEN_LINE_END: ReadonlySet<string> = new Set(['\\n', '\\r', '\\t']);
const NAME = /^(?:authorization|x-api-key|api[-_]?key)\s*[:=]\s*/iu;
const SCHEME = /^bearer[\s:="'<]+/iu;
const BASIC = /^basic\s+(?=[A-Za-z0-9+/_-]+=*$)/iu;

function readMessy(value: string, schemeExpected: boolean): ParsedCredential[] {
  const peeled = peel(value);
  const basic = BASIC.exec(peeled.rest);
  if (basic !== null) return readBasic(peeled.rest.slice(basic[0].length));
  const form = formOf(value, peeled, schemeExpected);
  return readRest(peeled, form, schemeExpected).slice(0, MAX_READINGS);
}

/** A value without what does not belong to the key, and how much of it there was. */
interface Peeled {
  readonly rest: string;
  /** How often the word Bearer stood before the key. */
  readonly schemes: number;
  /** Whether the name of a header stood before the key. */
  readonly named: boolean;
}

function peel(value: string): Peeled {
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

/** The most telling fault of a value; `null` when there is none. */
function formOf(value: string, peeled: Peeled, schemeExpected: boolean): CredentialForm | null {
  if (peeled.named) return 'named';
  if (!schemeExpected && peeled.schemes > 0) return 'scheme-in-key';
  if (peeled.schemes > 1) return 'doubled-scheme';
  if (schemeExpected && peeled.schemes === 0) return 'no-scheme';
  const expected = schemeExpected ? `Bearer ${peeled.rest}` : peeled.rest;
  if (value === expected) return null;
  return value.toLowerCase() === expected.toLowerCase() ? 'scheme-case' : 'wrapped';
}

function readRest(
  peeled: Peeled,
  form: CredentialForm | null,
  schemeExpected: boolean,
): ParsedCredential[] {
  const { rest, schemes } = peeled;
  if (rest === '') return [];
  const pieces = rest.split(/\s+/u);
  if (pieces.length > 1) {
    const joined: ParsedCredential = { token: pieces.join(''), form: 'broken' };
    const worded = [pieces.at(-1) ?? rest, pieces[0] ?? rest].map((token): ParsedCredential => ({
      token,
      form: schemeExpected ? 'other-scheme' : 'scheme-in-key',
    }));
    return schemes > 0 ? [joined, ...worded] : [...worded, joined];
  }
  const whole: ParsedCredential = form === null ? { token: rest } : { token: rest, form };
  const unglued = startsWithBearer(rest) ? dropGluedSchemes(rest) : '';
  if (unglued === '') return [whole];
  const gluedForm = schemes > 0 ? 'doubled-scheme' : 'no-space';
  return [whole, { token: unglued, form: schemeExpected ? gluedForm : 'scheme-in-key' }];
}

function readBasic(encoded: string): ParsedCredential[] {
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
  while (wrapping(text, start) > 0) start += wrapping(text, start);
  while (end > start && wrappingBefore(text, end) > 0) end -= wrappingBefore(text, end);
  return text.slice(start, Math.max(start, end));
}

/** How many characters at `at` are wrapping. */
function wrapping(text: string, at: number): number {
  const letter = text[at];
  if (letter === undefined) return 0;
  if (WRAPPING.test(letter)) return 1;
  return WRITTEN_LINE_END.has(text.slice(at, at + 2)) ? 2 : 0;
}

/** How many characters before `end` are wrapping. */
function wrappingBefore(text: string, end: number): number {
  return WRITTEN_LINE_END.has(text.slice(Math.max(0, end - 2), end)) ? 2 : wrapping(text, end - 1);
}

function dropGluedSchemes(text: string): string {
  let start = 0;
  while (startsWithBearer(text.slice(start, start + 6))) start += 6;
  return unwrap(text.slice(start));
}

function startsWithBearer(text: string): boolean {
  return text.slice(0, 6).toLowerCase() === 'bearer';
}
