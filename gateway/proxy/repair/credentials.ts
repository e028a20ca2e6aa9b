import type { Repair } from '../../../shared/exchange/repair.ts';
import type { TextProtocol } from '../../../shared/chat/chat.ts';
import {
  conflictRepair,
  formatRepair,
  placeRepair,
  serviceKeyRepair,
} from './credential-advice.ts';
import {
  type CredentialPlace,
  type ParsedCredential,
  parseAuthorization,
  parseKeyHeader,
} from './parse-credential.ts';
import { parseTarget } from './path/target.ts';

/** A candidate for a client's key. One value may give several candidates, when it can be parsed in several ways. */
export interface FoundCredential extends ParsedCredential {
  readonly place: CredentialPlace;
  /** Sent once, in a place and a form that the spec shows. */
  readonly clean: boolean;
  /** Candidates with the same number were parsed from the same value. */
  readonly value: number;
}

/** The credentials of a request (at most 8, clean ones first), and the request without them. */
export interface ExtractedCredentials {
  readonly found: readonly FoundCredential[];
  /** Number of values in places for a key, whether or not a key was found in them. */
  readonly values: number;
  /** Alternating names and values, as Node's `rawHeaders`. */
  readonly headers: string[];
  readonly target: string;
}

/** Maximum number of candidates that are returned. */
const MAX_CANDIDATES = 8;
/** Maximum number of values that are parsed. */
const MAX_VALUES = 16;

interface SentValue {
  readonly place: CredentialPlace;
  readonly text: string;
  readonly repeated: boolean;
}

/**
 * Removes every credential from a request: the headers `authorization`, `proxy-authorization`, `x-api-key` and those of other services,
 * and query parameters that hold keys. Everything else stays byte for byte. Whether a credential is valid is left to the caller.
 */
export function extractCredentials(
  rawHeaders: readonly string[],
  target: string,
): ExtractedCredentials {
  const { headers, sent } = extractFromHeaders(rawHeaders);
  const query = extractFromQuery(target);
  const values = splitValues([...sent, ...query.sent].slice(0, MAX_VALUES));
  const candidates = values.flatMap((value, index) => findCandidates(value, index));
  const found = dedupeCandidates(candidates);
  return { found, values: sent.length + query.sent.length, headers, target: query.target };
}

interface Sent {
  readonly place: CredentialPlace;
  readonly text: string;
}

function extractFromHeaders(rawHeaders: readonly string[]): { headers: string[]; sent: Sent[] } {
  const headers: string[] = [];
  const sent: Sent[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    const text = rawHeaders[index + 1] ?? '';
    const place = toPlace(name);
    if (place === null) headers.push(name, text);
    else if (place !== 'proxy') sent.push({ place, text: decodeHeaderText(text) });
  }
  return { headers, sent };
}

/** Headers that carry a credential. One for a proxy is only removed, because it was not meant for Gatehouse. */
const PLACES: ReadonlyMap<string, Exclude<CredentialPlace, 'query'> | 'proxy'> = new Map([
  ['authorization', 'authorization'],
  ['x-api-key', 'x-api-key'],
  ['api-key', 'api-key'],
  ['apikey', 'apikey'],
  ['x-goog-api-key', 'x-goog-api-key'],
  ['x-authorization', 'x-authorization'],
  ['proxy-authorization', 'proxy'],
]);
const LENGTHS: ReadonlySet<number> = new Set([...PLACES.keys()].map((name) => name.length));

function toPlace(name: string): Exclude<CredentialPlace, 'query'> | 'proxy' | null {
  // Most headers carry none; their length tells that without a lookup.
  return LENGTHS.has(name.length) ? (PLACES.get(name.toLowerCase()) ?? null) : null;
}

const BEYOND_ASCII = /[\u0080-\u00ff]/u;

/** Decodes a header value, whose bytes Node passes as latin1: programs send UTF-8, mostly in pasted quotes. */
function decodeHeaderText(value: string): string {
  if (!BEYOND_ASCII.test(value)) return value;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
      Buffer.from(value, 'latin1'),
    );
  } catch {
    // An older encoding; its quotes are control characters in latin1.
    return value;
  }
}

/** Query parameters in which clients send their key. */
const KEY_PARAMETERS: ReadonlySet<string> = new Set([
  'key',
  'api_key',
  'api-key',
  'apikey',
  'access_token',
]);

function extractFromQuery(target: string): { target: string; sent: Sent[] } {
  const { path, query } = parseTarget(target);
  if (query === '') return { target, sent: [] };
  const sent: Sent[] = [];
  const parameters = query.slice(1).split('&');
  const otherParameters = parameters.filter((parameter) => {
    const equals = parameter.indexOf('=');
    const name = decode(equals === -1 ? parameter : parameter.slice(0, equals)).toLowerCase();
    if (!KEY_PARAMETERS.has(name)) return true;
    if (equals !== -1) sent.push({ place: 'query', text: decode(parameter.slice(equals + 1)) });
    return false;
  });
  if (otherParameters.length === parameters.length) return { target, sent };
  return {
    target: otherParameters.length === 0 ? path : `${path}?${otherParameters.join('&')}`,
    sent,
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    // Not percent-encoded, so the text is the value.
    return text;
  }
}

/** Splits values at commas: a proxy or a library may have merged two headers into one. */
function splitValues(sent: readonly Sent[]): SentValue[] {
  const [first] = sent;
  if (first === undefined) return [];
  if (sent.length === 1 && !first.text.includes(',')) return [{ ...first, repeated: false }];
  return sent.flatMap(({ place, text }) => {
    const isOnly = sent.filter((other) => other.place === place).length === 1;
    if (!text.includes(',')) return [{ place, text, repeated: !isOnly }];
    const parts = text.split(',', MAX_VALUES).filter((part) => part.trim() !== '');
    return parts.map((part) => ({
      place,
      text: part.trim(),
      repeated: !isOnly || parts.length > 1,
    }));
  });
}

function findCandidates({ place, text, repeated }: SentValue, value: number): FoundCredential[] {
  const withScheme = place === 'authorization' || place === 'x-authorization';
  const candidates = withScheme ? parseAuthorization(text) : parseKeyHeader(text);
  const isExpectedPlace = place === 'authorization' || place === 'x-api-key';
  return candidates.map((parsed): FoundCredential => {
    if (repeated) return { token: parsed.token, form: 'repeated', place, clean: false, value };
    return { ...parsed, place, clean: isExpectedPlace && parsed.form === undefined, value };
  });
}

/** Returns each token once per place, clean ones first, at most 8. */
function dedupeCandidates(candidates: readonly FoundCredential[]): readonly FoundCredential[] {
  if (candidates.length < 2) return candidates;
  const distinct = candidates.filter(
    ({ place, token }, index) =>
      candidates.findIndex((other) => other.place === place && other.token === token) === index,
  );
  return [
    ...distinct.filter(({ clean }) => clean),
    ...distinct.filter(({ clean }) => !clean),
  ].slice(0, MAX_CANDIDATES);
}

/** The outcome of the credentials of one request. `chosen` is the valid one; `null` or `undefined` when there was none. */
export interface CredentialOutcome {
  readonly found: readonly FoundCredential[];
  readonly chosen: FoundCredential | null | undefined;
  /** Whether the service key itself was among the credentials. */
  readonly serviceKeySent: boolean;
  readonly protocol: TextProtocol | null;
}

/** Lists what was corrected about the credentials of a request. No field contains a key: it is written `<key>`. */
export function credentialRepairs(outcome: CredentialOutcome): Repair[] {
  const { chosen, found, protocol, serviceKeySent } = outcome;
  const repairs = chosen ? chosenRepairs(chosen, found, protocol) : [];
  return serviceKeySent ? [...repairs, serviceKeyRepair()] : repairs;
}

function chosenRepairs(
  chosen: FoundCredential,
  found: readonly FoundCredential[],
  protocol: TextProtocol | null,
): Repair[] {
  const { place, form } = chosen;
  const repairs: Repair[] = [];
  if (form !== undefined) repairs.push(formatRepair(place, form));
  if (isMisplaced(place, protocol)) repairs.push(placeRepair(place));
  if (hasConflict(found, chosen)) {
    repairs.push(conflictRepair(place, [...new Set(found.map((other) => other.place))]));
  }
  return repairs;
}

/**
 * Whether this place is wrong for the protocol: `x-api-key` belongs to the Messages protocol only, `Authorization` is right everywhere
 * (spec section 5).
 */
function isMisplaced(
  place: CredentialPlace,
  protocol: TextProtocol | null,
): place is Exclude<CredentialPlace, 'authorization'> {
  return place !== 'authorization' && !(place === 'x-api-key' && protocol === 'messages');
}

/** Whether another value was sent that is not the chosen key. */
function hasConflict(found: readonly FoundCredential[], chosen: FoundCredential): boolean {
  if (found.length === 1) return false;
  const agreeing = new Set(
    found.filter(({ token }) => token === chosen.token).map(({ value }) => value),
  );
  return found.some(({ value }) => !agreeing.has(value));
}
