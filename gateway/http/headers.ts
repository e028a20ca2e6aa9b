/** Header names and values in turn, in the order of the wire, as in Node's `rawHeaders`. */
export type RawHeaders = readonly string[];

/** Hop-by-hop fields (RFC 9110 section 7.6.1, RFC 9112 section 9). */
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

/** Fields that are regenerated for the next request. */
const REGENERATED = new Set(['host', 'content-length', 'expect']);

/** Prefix of headers between clients and Gatehouse. They are neither sent to a service nor accepted from one. */
const INTERNAL_PREFIX = 'x-gatehouse-';

/** Prefix of the window's cookies. Cookies are shared by all ports, so a service could set them through the proxy. */
export const WINDOW_COOKIE = 'gatehouse_window_';
/** Matches a cookie without a name, which is sent back as its value and may look like ours (RFC 6265bis section 5.7). */
const SETS_WINDOW_COOKIE = new RegExp(`^[\\s=]*${WINDOW_COOKIE}`, 'iu');

/** Returns the request headers that are forwarded: no hop-by-hop fields, none for Gatehouse, none that are regenerated. */
export function forwardableRequestHeaders(headers: RawHeaders): string[] {
  return withoutHopByHop(
    headers,
    (name) => REGENERATED.has(name) || name.startsWith(INTERNAL_PREFIX),
  );
}

/** Returns the response headers that are forwarded: no hop-by-hop fields, and none that only Gatehouse may send. */
export function forwardableResponseHeaders(headers: RawHeaders): string[] {
  return withoutHopByHop(
    headers,
    (name, value) =>
      name.startsWith(INTERNAL_PREFIX) || (name === 'set-cookie' && SETS_WINDOW_COOKIE.test(value)),
  );
}

/** Finds the value of the first header with this lower-case name. */
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

/** Copies headers without those of these lower-case names. */
export function withoutHeaders(headers: RawHeaders, names: ReadonlySet<string>): string[] {
  const remaining: string[] = [];
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i] ?? '';
    if (!names.has(name.toLowerCase())) remaining.push(name, headers[i + 1] ?? '');
  }
  return remaining;
}

const NOTHING: ReadonlySet<string> = new Set();

function withoutHopByHop(
  headers: RawHeaders,
  alsoNot: (name: string, value: string) => boolean,
): string[] {
  const named = namedByConnection(headers);
  const remaining: string[] = [];
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i] ?? '';
    const lower = name.toLowerCase();
    const value = headers[i + 1] ?? '';
    if (HOP_BY_HOP.has(lower) || alsoNot(lower, value) || named.has(lower)) continue;
    remaining.push(name, value);
  }
  return remaining;
}

/** Finds the fields that `Connection` names as hop-by-hop, except those that frame or describe the message. */
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
