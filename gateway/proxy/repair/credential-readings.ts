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
export interface Reading {
  readonly token: string;
  readonly form?: CredentialForm;
}

/** More readings of one value than this are never needed. */
const MOST_READINGS = 4;

const PLAIN_TOKEN = /^[^\s"'`,\\<>“”‘’]+$/u;

/**
 * Reads one value of the `Authorization` header, expected as `Bearer <key>` (RFC 6750 section 2.1); likeliest reading first.
 * A comma never belongs to a token, so the caller has cut the value at commas.
 */
export function readAuthorization(value: string): Reading[] {
  if (value.startsWith('Bearer ')) {
    const token = value.slice(7);
    if (PLAIN_TOKEN.test(token) && !startsWithBearer(token)) return [{ token }];
  }
  return readMessy(value, true);
}

/** Reads one value of a place where the key stands alone: `x-api-key`, `api-key`, a query parameter. */
export function readKey(value: string): Reading[] {
  if (PLAIN_TOKEN.test(value) && !startsWithBearer(value)) return [{ token: value }];
  return readMessy(value, false);
}

/** What people paste around a key: spaces, line ends (also written as \n), quotes, angle brackets. */
const WRAPPING_START = /^(?:[\s\p{Cc}"'`<“”‘’]|\\[nrt])+/u;
const WRAPPING_END = /(?:[\s\p{Cc}"'`>“”‘’]|\\[nrt])$/u;
const NAME = /^(?:authorization|x-api-key|api[-_]?key)\s*[:=]\s*/iu;
const SCHEME = /^bearer[\s:="'<]+/iu;
const BASIC = /^basic\s+(?=[A-Za-z0-9+/_-]+=*$)/iu;

function readMessy(value: string, schemeExpected: boolean): Reading[] {
  const unwrapped = unwrap(value);
  const unnamed = unwrap(unwrapped.replace(NAME, ''));
  const basic = BASIC.exec(unnamed);
  if (basic !== null) return readBasic(unnamed.slice(basic[0].length));
  const { rest, schemes } = dropSchemes(unnamed);
  const form = formOf({ value, unwrapped, unnamed, rest, schemes, schemeExpected });
  return readRest(rest, schemes, form).slice(0, MOST_READINGS);
}

function readRest(rest: string, schemes: number, form: CredentialForm | null): Reading[] {
  if (rest === '') return [];
  const pieces = rest.split(/\s+/u);
  if (pieces.length > 1) {
    const joined: Reading = { token: pieces.join(''), form: 'broken' };
    const named = [pieces.at(-1) ?? rest, pieces[0] ?? rest].map((token): Reading => ({
      token,
      form: 'other-scheme',
    }));
    return schemes > 0 ? [joined, ...named] : [...named, joined];
  }
  const whole: Reading = form === null ? { token: rest } : { token: rest, form };
  if (!startsWithBearer(rest)) return [whole];
  const glued = dropGluedSchemes(rest);
  const unglued: Reading = { token: glued, form: schemes > 0 ? 'doubled-scheme' : 'no-space' };
  return glued === '' ? [whole] : [whole, unglued];
}

function readBasic(encoded: string): Reading[] {
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  const parts = colon === -1 ? [text] : [text.slice(colon + 1), text.slice(0, colon)];
  return parts
    .map((part) => unwrap(part))
    .filter((part) => PLAIN_TOKEN.test(part))
    .map((token) => ({ token, form: 'basic' }));
}

interface Seen {
  readonly value: string;
  readonly unwrapped: string;
  readonly unnamed: string;
  readonly rest: string;
  readonly schemes: number;
  readonly schemeExpected: boolean;
}

/** The most telling fault of a value; `null` when there is none. */
function formOf(seen: Seen): CredentialForm | null {
  if (seen.unnamed !== seen.unwrapped) return 'named';
  if (!seen.schemeExpected && seen.schemes > 0) return 'scheme-in-key';
  if (seen.schemes > 1) return 'doubled-scheme';
  if (seen.schemeExpected && seen.schemes === 0) return 'no-scheme';
  const expected = seen.schemeExpected ? `Bearer ${seen.rest}` : seen.rest;
  if (seen.value === expected) return null;
  return seen.value.toLowerCase() === expected.toLowerCase() ? 'scheme-case' : 'wrapped';
}

function unwrap(text: string): string {
  let inner = text.replace(WRAPPING_START, '');
  for (let end = WRAPPING_END.exec(inner); end !== null; end = WRAPPING_END.exec(inner)) {
    inner = inner.slice(0, end.index);
  }
  return inner;
}

function dropSchemes(text: string): { rest: string; schemes: number } {
  let rest = text;
  let schemes = 0;
  while (SCHEME.test(rest)) {
    rest = unwrap(rest.replace(SCHEME, ''));
    schemes += 1;
  }
  return rest.toLowerCase() === 'bearer' ? { rest: '', schemes: schemes + 1 } : { rest, schemes };
}

function dropGluedSchemes(text: string): string {
  let start = 0;
  while (text.slice(start, start + 6).toLowerCase() === 'bearer') start += 6;
  return unwrap(text.slice(start));
}

function startsWithBearer(text: string): boolean {
  return text.length > 5 && text.slice(0, 6).toLowerCase() === 'bearer';
}
