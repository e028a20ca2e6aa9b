import type { Repair } from '../../../shared/repair.ts';
import type { Route } from '../route.ts';
import { withoutHeaders } from '../../http/headers.ts';
import { createRepair } from './create-repair.ts';
import { detectBoundary, startsWithPart } from './body/multipart.ts';

/** Header names and values in turn, and what was corrected. The very same array comes back when nothing was. */
export interface RepairedHeaders {
  readonly headers: string[];
  readonly repairs: Repair[];
}

/** The version that the spec shows (section 9). */
const VERSION = '2023-06-01';
/** The name that the clients of this protocol send, whatever the service calls its vendor. */
const USUAL_NAME = 'anthropic-version';
const DATE = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/u;

/** A date in another spelling, and what stands around it. */
const DATE_LIKE = /^["'\s]*(\d{4})[-/._]?(0[1-9]|1[0-2])[-/._]?(0[1-9]|[12]\d|3[01])["'\s]*$/u;

/**
 * Sees to the version header of a Messages request (spec section 9), `<vendor>-version` with a date. Without one, `2023-06-01` is added.
 * One that says it otherwise is put right: `2023/06/01` and `"2023-06-01"` become the date in them, and what holds no date becomes
 * `2023-06-01`. A header that a client sends for it is kept, whosever name it bears: one word, `-version`, and a date.
 */
export function repairVersion(headers: string[], route: Route, vendor: string): RepairedHeaders {
  if (route.protocol !== 'messages') return { headers, repairs: [] };
  const name = `${vendor}-version`;
  const sent = versionsIn(headers, name);
  if (sent.some(({ value }) => DATE.test(value.trim()))) return { headers, repairs: [] };
  const [wrong] = sent;
  if (wrong === undefined) {
    const repair = createRepair('version-added', '', `${name}: ${VERSION}`);
    return { headers: [...headers, name, VERSION], repairs: [repair] };
  }
  const version = dateIn(wrong.value) ?? VERSION;
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

function versionsIn(headers: readonly string[], expected: string): SentVersion[] {
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
  return name.indexOf('-') === name.length - 8 && dateIn(value) !== null;
}

function dateIn(value: string): string | null {
  const [, year, month, day] = DATE_LIKE.exec(value) ?? [];
  return year === undefined ? null : `${year}-${month}-${day}`;
}

const METHODS_WITH_BODY: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

/**
 * Corrects the content type of a body whose bytes say clearly what it is: a JSON object or list, or a multipart form.
 * `start` is the whole body or its first piece. A right content type is never touched, nor is one that may be right.
 */
export function repairContentType(
  headers: string[],
  start: Uint8Array,
  method: string,
): RepairedHeaders {
  if (start.length === 0 || !METHODS_WITH_BODY.has(method)) return { headers, repairs: [] };
  const declared = declaredTypes(headers);
  if (looksLikeJson(start)) {
    if (declared.length === 1 && isJsonType(declared[0] ?? '')) return { headers, repairs: [] };
    return replaceType(headers, declared, 'application/json');
  }
  const boundary = detectBoundary(start);
  if (boundary === null || (declared.length === 1 && isFormType(declared[0] ?? '', start))) {
    return { headers, repairs: [] };
  }
  return replaceType(headers, declared, `multipart/form-data; boundary=${quoted(boundary)}`);
}

/** Whether a body begins like a JSON object or list: `{` or `[` after white space and a byte order mark. */
export function looksLikeJson(start: Uint8Array): boolean {
  let index = start[0] === 0xef && start[1] === 0xbb && start[2] === 0xbf ? 3 : 0;
  while (isSpace(start[index])) index += 1;
  return start[index] === 0x7b || start[index] === 0x5b;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function declaredTypes(headers: readonly string[]): string[] {
  const types: string[] = [];
  for (let index = 0; index < headers.length; index += 2) {
    if (isContentType(headers[index])) types.push(headers[index + 1] ?? '');
  }
  return types;
}

function isContentType(name: string | undefined): boolean {
  return name?.length === 12 && name.toLowerCase() === 'content-type';
}

/** `application/json`, anything `+json`, and the line formats, whose first line is JSON as well. */
function isJsonType(type: string): boolean {
  if (type === 'application/json') return true;
  return /^\s*application\/(?:json|[\w.-]+\+json|x-ndjson|ndjson|jsonl|x-jsonlines)\s*(?:;|$)/iu.test(
    type,
  );
}

/** A multipart type whose boundary is the one in the body. */
function isFormType(type: string, start: Uint8Array): boolean {
  const boundary = declaredBoundary(type);
  return boundary !== null && startsWithPart(start, boundary);
}

/** The boundary that a multipart type declares; `null` for other types and without one. */
export function declaredBoundary(type: string): string | null {
  const declared = /^\s*multipart\/[\w.-]+\s*;.*?\bboundary\s*=\s*(?:"([^"]+)"|([^\s;,"]+))/iu.exec(
    type,
  );
  return declared?.[1] ?? declared?.[2] ?? null;
}

function quoted(boundary: string): string {
  return /^[\w'+.-]+$/u.test(boundary) ? boundary : `"${boundary}"`;
}

function replaceType(
  headers: string[],
  declared: readonly string[],
  type: string,
): RepairedHeaders {
  const kept: string[] = [];
  for (let index = 0; index < headers.length; index += 2) {
    if (!isContentType(headers[index])) kept.push(headers[index] ?? '', headers[index + 1] ?? '');
  }
  const code = type.startsWith('multipart/') ? 'content-type-multipart' : 'content-type-json';
  return {
    headers: [...kept, 'content-type', type],
    repairs: [createRepair(code, declared.join(', '), type)],
  };
}
