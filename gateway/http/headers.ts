/** Headers as Node and undici hand them over: name, value, name, value, in the order of the wire. */
export type RawHeaders = readonly string[];

/** Fields that belong to one connection only (RFC 9110 section 7.6.1, RFC 9112 section 9). */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authenticate',
  'proxy-authorization',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Fields that the sender of the next request makes anew. */
const REGENERATED = new Set(['host', 'content-length', 'expect']);

/** Headers between clients and Gatehouse begin so: a service neither hears nor says any. */
const INTERNAL_PREFIX = 'x-gatehouse-';

/** The cookies of the window begin so. Cookies know no ports, so a service could set them through the proxy. */
export const WINDOW_COOKIE = 'gatehouse_window_';
/** A cookie without a name is sent back as its value alone, which may look like ours (RFC 6265bis section 5.7). */
const SETS_WINDOW_COOKIE = new RegExp(`^[\\s=]*${WINDOW_COOKIE}`, 'iu');

/** Request headers without those that end at this hop or are meant for us, and without the ones that the next request gets anew. */
export function forwardableRequestHeaders(headers: RawHeaders): string[] {
  return withoutHopByHop(
    headers,
    (name) => REGENERATED.has(name) || name.startsWith(INTERNAL_PREFIX),
  );
}

/** Answer headers without those that end at this hop or that only Gatehouse may send. */
export function forwardableResponseHeaders(headers: RawHeaders): string[] {
  return withoutHopByHop(
    headers,
    (name, value) =>
      name.startsWith(INTERNAL_PREFIX) || (name === 'set-cookie' && SETS_WINDOW_COOKIE.test(value)),
  );
}

/** The value of the first header of that name (lower case), or undefined. */
export function findHeader(headers: RawHeaders, name: string): string | undefined {
  for (let i = 0; i < headers.length; i += 2) {
    const candidate = headers[i] ?? '';
    if (candidate.length === name.length && candidate.toLowerCase() === name) return headers[i + 1];
  }
  return undefined;
}

/** Finds the content coding of a message, in small letters; `null` when there is none, or it is `identity` (RFC 9110 section 8.4). */
export function findContentCoding(headers: RawHeaders): string | null {
  const coding = findHeader(headers, 'content-encoding')?.trim().toLowerCase();
  return coding === undefined || coding === '' || coding === 'identity' ? null : coding;
}

/** A copy without any header of these names (lower case). */
export function withoutHeaders(headers: RawHeaders, names: ReadonlySet<string>): string[] {
  const kept: string[] = [];
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i] ?? '';
    if (!names.has(name.toLowerCase())) kept.push(name, headers[i + 1] ?? '');
  }
  return kept;
}

const NOTHING: ReadonlySet<string> = new Set();

function withoutHopByHop(
  headers: RawHeaders,
  alsoNot: (name: string, value: string) => boolean,
): string[] {
  const named = namedByConnection(headers);
  const kept: string[] = [];
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i] ?? '';
    const lower = name.toLowerCase();
    const value = headers[i + 1] ?? '';
    if (HOP_BY_HOP.has(lower) || alsoNot(lower, value) || named.has(lower)) continue;
    kept.push(name, value);
  }
  return kept;
}

/** What `Connection` names is for this connection only, except what frames or describes the message itself. */
function namedByConnection(headers: RawHeaders): ReadonlySet<string> {
  let named: Set<string> | undefined;
  for (let i = 0; i < headers.length; i += 2) {
    if ((headers[i] ?? '').length !== 10 || headers[i]?.toLowerCase() !== 'connection') continue;
    for (const part of (headers[i + 1] ?? '').split(',')) {
      const name = part.trim().toLowerCase();
      if (name !== '' && !HOP_BY_HOP.has(name) && !NEVER_DROPPED.has(name)) {
        (named ??= new Set()).add(name);
      }
    }
  }
  return named ?? NOTHING;
}

const NEVER_DROPPED = new Set(['content-length', 'content-type', 'content-encoding']);
