/** The error for an invalid base address. Its message says why, and what to type instead. */
export class InvalidBaseUrlError extends Error {
  override readonly name = 'InvalidBaseUrlError';
}

export interface ParsedBaseUrl {
  /** Scheme, host and an optional vendor path; no trailing slash and no `/v1`. */
  readonly url: string;
  /** One sentence for each correction. */
  readonly corrections: readonly string[];
}

/** Paths that clients append to the base address (spec section 4), as segments. */
const ROUTES: readonly (readonly string[])[] = [
  ['v1'],
  ['models'],
  ['chat', 'completions'],
  ['completions'],
  ['responses'],
  ['messages'],
  ['messages', 'count_tokens'],
  ['files'],
  ['videos'],
];

/**
 * Parses the base address of a service as people paste it: with a whole endpoint, a trailing or doubled `/v1`, white space,
 * quotes, without a scheme. Paths of the vendor (`/compatible-mode`, `/api/coding`) are kept.
 * @throws InvalidBaseUrlError for credentials, a query, a fragment, another scheme than http and https, and for plain http to
 * another machine, where the service key would travel in clear text.
 */
export function parseBaseUrl(text: string): ParsedBaseUrl {
  const corrections: string[] = [];
  const bare = unwrap(text, corrections);
  const parsed = parseAddress(withScheme(bare, corrections));
  assertNoExtras(parsed);
  assertEncrypted(parsed);
  const path = parsePath(parsed.pathname, corrections);
  return { url: parsed.origin + path, corrections };
}

/** Whether the address leads back to this machine. */
function isLoopbackUrl(url: URL): boolean {
  return (
    /^(?:.+\.)?localhost$/u.test(url.hostname) ||
    /^127\.\d+\.\d+\.\d+$/u.test(url.hostname) ||
    url.hostname === '[::1]'
  );
}

function unwrap(text: string, corrections: string[]): string {
  const spaced = text.trim();
  const bare = spaced.replace(/^[\s"'`<\u200b\ufeff]+|[\s"'`>\u200b\ufeff]+$/gu, '');
  if (bare === '') {
    throw new InvalidBaseUrlError('No address was given. Example: https://models.example.com');
  }
  if (bare !== spaced) {
    corrections.push('Quotes or brackets around the address were removed.');
  }
  if (/[\s\p{Cc}\\"'`<>]/u.test(bare)) {
    throw new InvalidBaseUrlError(
      'An address has no spaces, quotes, line ends or backslashes. Example: https://models.example.com',
    );
  }
  return bare;
}

function withScheme(bare: string, corrections: string[]): string {
  const schemes = /^(?:https?:\/\/)+(?=https?:\/\/)/iu.exec(bare)?.[0] ?? '';
  if (schemes !== '') {
    corrections.push('The doubled scheme was removed.');
  }
  const address = bare.slice(schemes.length);
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//iu.exec(address)?.[1]?.toLowerCase();
  if (scheme === 'http' || scheme === 'https') {
    return address;
  }
  if (scheme !== undefined) {
    throw new InvalidBaseUrlError(
      `An address begins with https:// (or http:// on this machine), not with ${scheme}://.`,
    );
  }
  const rest = address.replace(/^(?:https?:?)?\/+/iu, '');
  const local = URL.canParse(`http://${rest}`) && isLoopbackUrl(new URL(`http://${rest}`));
  const added = local ? 'http' : 'https';
  assertNotSingleWord(rest, local);
  corrections.push(`The missing ${added}:// was added.`);
  return `${added}://${rest}`;
}

/** The input is not repeated in the message, because it may be a key that was typed in the wrong place. */
function assertNotSingleWord(rest: string, local: boolean): void {
  if (!local && URL.canParse(`https://${rest}`) && !/^(?:\[|[^/]*\.)/u.test(rest)) {
    throw new InvalidBaseUrlError(
      'This is a single word, not an address. An address looks like this: https://models.example.com. If it is the name of a machine in your network, type https:// before it.',
    );
  }
}

function parseAddress(address: string): URL {
  if (!URL.canParse(address)) {
    throw new InvalidBaseUrlError(
      'This is not a web address. It looks like this: https://models.example.com',
    );
  }
  return new URL(address);
}

function assertNoExtras(url: URL): void {
  if (url.username !== '' || url.password !== '') {
    throw new InvalidBaseUrlError(
      'The address contains a user name or password. Remove it: the service key is entered separately.',
    );
  }
  if (url.search !== '') {
    throw new InvalidBaseUrlError(
      'The address contains a query (after "?"). Remove it. A key does not belong in an address; it is entered separately.',
    );
  }
  if (url.hash !== '') {
    throw new InvalidBaseUrlError('The address contains a fragment (after "#"). Remove it.');
  }
}

function assertEncrypted(url: URL): void {
  if (url.protocol === 'http:' && !isLoopbackUrl(url)) {
    throw new InvalidBaseUrlError(
      `http:// to another machine (${url.host}) would send the service key in clear text. Use https://.`,
    );
  }
}

function parsePath(pathname: string, corrections: string[]): string {
  const all = pathname.split('/').filter((segment) => segment !== '');
  const withoutRoutes = dropRoutes(all);
  if (withoutRoutes.length < all.length) {
    const dropped = all.slice(withoutRoutes.length).join('/');
    corrections.push(
      `"/${dropped}" was removed: it is added to the base address for each request.`,
    );
  }
  if (pathname.replace(/\/$/u, '') !== all.map((segment) => `/${segment}`).join('')) {
    corrections.push('Doubled slashes were replaced by one.');
  }
  return withoutRoutes.map((segment) => `/${segment}`).join('');
}

function dropRoutes(segments: readonly string[]): readonly string[] {
  const lower = segments.map((segment) => segment.toLowerCase());
  const route = ROUTES.find((words) =>
    words.every((word, index) => lower[lower.length - words.length + index] === word),
  );
  return route === undefined ? segments : dropRoutes(segments.slice(0, -route.length));
}
