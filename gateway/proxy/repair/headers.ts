import type { Repair } from '../../../shared/exchange/repair.ts';
import type { Route } from '../route.ts';
import { withoutHeaders } from '../../http/headers.ts';
import { createRepair } from './create-repair.ts';

/** Headers as alternating names and values, and what was corrected. When nothing was, `headers` is the array that was passed in. */
export interface RepairedHeaders {
  readonly headers: string[];
  readonly repairs: Repair[];
}

/** The version in the spec (section 9). */
const VERSION = '2023-06-01';
/** The header that clients of this protocol usually send, whatever the vendor of the service. */
const USUAL_NAME = 'anthropic-version';
const DATE = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/u;

/** Matches a date in another spelling, with quotes or spaces around it. */
const DATE_LIKE = /^["'\s]*(\d{4})[-/._]?(0[1-9]|1[0-2])[-/._]?(0[1-9]|[12]\d|3[01])["'\s]*$/u;

/**
 * Repairs the version header of a Messages request (spec section 9), `<vendor>-version` with a date. Without one, `2023-06-01` is added.
 * A malformed date is corrected: `2023/06/01` and `"2023-06-01"` become the date in them; a value without a date becomes `2023-06-01`.
 * Any header of the form `<word>-version` with a date counts, whatever its vendor.
 */
export function repairVersion(headers: string[], route: Route, vendor: string): RepairedHeaders {
  if (route.protocol !== 'messages') return { headers, repairs: [] };
  const name = `${vendor}-version`;
  const sent = findVersions(headers, name);
  if (sent.some(({ value }) => DATE.test(value.trim()))) return { headers, repairs: [] };
  const [wrong] = sent;
  if (wrong === undefined) {
    const repair = createRepair('version-added', '', `${name}: ${VERSION}`);
    return { headers: [...headers, name, VERSION], repairs: [repair] };
  }
  const version = findDate(wrong.value) ?? VERSION;
  const names = new Set(sent.map((one) => one.name.toLowerCase()));
  return {
    headers: [...withoutHeaders(headers, names), wrong.name, version],
    repairs: [
      createRepair('version-format', `${wrong.name}: ${wrong.value}`, `${wrong.name}: ${version}`),
    ],
  };
}

interface SentVersion {
  readonly name: string;
  readonly value: string;
}

function findVersions(headers: readonly string[], expected: string): SentVersion[] {
  const versions: SentVersion[] = [];
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index] ?? '';
    const value = headers[index + 1] ?? '';
    if (isVersion(name, value, expected)) versions.push({ name, value });
  }
  return versions;
}

function isVersion(name: string, value: string, expected: string): boolean {
  const lower = name.toLowerCase();
  if (!lower.endsWith('-version')) return false;
  if (lower === expected.toLowerCase() || lower === USUAL_NAME) return true;
  return name.indexOf('-') === name.length - 8 && findDate(value) !== null;
}

function findDate(value: string): string | null {
  const [, year, month, day] = DATE_LIKE.exec(value) ?? [];
  return year === undefined ? null : `${year}-${month}-${day}`;
}

const METHODS_WITH_BODY: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

/**
 * Corrects the content type of a body whose first bytes clearly show its type: a JSON object or list, or a multipart form. `start` is
 * the whole body or its first chunk. A content type that is or may be right is never changed.
 */
export function repairContentType(
  headers: string[],
  start: Uint8Array,
  method: string,
): RepairedHeaders {
  if (start.length === 0 || !METHODS_WITH_BODY.has(method)) return { headers, repairs: [] };
  const declared = findContentTypes(headers);
  if (looksLikeJson(start)) {
    if (declared.length === 1 && isJsonType(declared[0] ?? '')) return { headers, repairs: [] };
    return replaceType(headers, declared, 'application/json');
  }
  const boundary = detectBoundary(start);
  if (boundary === null || (declared.length === 1 && isFormType(declared[0] ?? '', start))) {
    return { headers, repairs: [] };
  }
  return replaceType(headers, declared, `multipart/form-data; boundary=${quoteBoundary(boundary)}`);
}

/** Whether a body begins like a JSON object or list: `{` or `[` after an optional byte order mark and white space. */
export function looksLikeJson(start: Uint8Array): boolean {
  let index = start[0] === 0xef && start[1] === 0xbb && start[2] === 0xbf ? 3 : 0;
  while (isSpace(start[index])) index += 1;
  return start[index] === 0x7b || start[index] === 0x5b;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function findContentTypes(headers: readonly string[]): string[] {
  const types: string[] = [];
  for (let index = 0; index < headers.length; index += 2) {
    if (isContentType(headers[index])) types.push(headers[index + 1] ?? '');
  }
  return types;
}

function isContentType(name: string | undefined): boolean {
  return name?.length === 12 && name.toLowerCase() === 'content-type';
}

/** Whether a content type means JSON: `application/json`, any `+json`, and the line formats, whose first line is JSON as well. */
function isJsonType(type: string): boolean {
  if (type === 'application/json') return true;
  return /^\s*application\/(?:json|[\w.-]+\+json|x-ndjson|ndjson|jsonl|x-jsonlines)\s*(?:;|$)/iu.test(
    type,
  );
}

/** Whether this is a multipart type whose boundary is the one in the body. */
function isFormType(type: string, start: Uint8Array): boolean {
  const boundary = declaredBoundary(type);
  return boundary !== null && startsWithPart(start, boundary);
}

/** Returns the boundary that a multipart type declares; `null` for other types and without one. */
export function declaredBoundary(type: string): string | null {
  const declared = /^\s*multipart\/[\w.-]+\s*;.*?\bboundary\s*=\s*(?:"([^"]+)"|([^\s;,"]+))/iu.exec(
    type,
  );
  return declared?.[1] ?? declared?.[2] ?? null;
}

function quoteBoundary(boundary: string): string {
  return /^[\w'+.-]+$/u.test(boundary) ? boundary : `"${boundary}"`;
}

function replaceType(
  headers: string[],
  declared: readonly string[],
  type: string,
): RepairedHeaders {
  const others: string[] = [];
  for (let index = 0; index < headers.length; index += 2) {
    if (!isContentType(headers[index])) others.push(headers[index] ?? '', headers[index + 1] ?? '');
  }
  const code = type.startsWith('multipart/') ? 'content-type-multipart' : 'content-type-json';
  return {
    headers: [...others, 'content-type', type],
    repairs: [createRepair(code, declared.join(', '), type)],
  };
}

/** The first line of a multipart body. A boundary is 1 to 70 of these characters and does not end in a space (RFC 2046 section 5.1.1). */
const FIRST_LINE = /^(?:\r?\n)?--([\w'()+,./:=? -]{0,69}[\w'()+,./:=?-])[ \t]*\r?\n([\s\S]{0,8})/u;

/** Number of bytes to inspect: a boundary line and the beginning of the next line. */
const MAX_LINE_BYTES = 96;

/**
 * Finds the boundary of a multipart body in its first line; `null` when the body does not begin like one: two hyphens and a boundary,
 * then a part's header, which always begins with `Content-` (RFC 2046 section 5.1).
 */
function detectBoundary(start: Uint8Array): string | null {
  const text = Buffer.from(start.buffer, start.byteOffset, Math.min(start.length, MAX_LINE_BYTES));
  const match = FIRST_LINE.exec(text.toString('latin1'));
  if (match === null) return null;
  const header = (match[2] ?? '').toLowerCase();
  return 'content-'.startsWith(header) ? (match[1] ?? null) : null;
}

/** Whether the body begins with a part of this boundary. */
function startsWithPart(start: Uint8Array, boundary: string): boolean {
  const text = Buffer.from(start.buffer, start.byteOffset, Math.min(start.length, MAX_LINE_BYTES));
  return text.toString('latin1').trimStart().startsWith(`--${boundary}`);
}
