const OPENABLE_SCHEMES: ReadonlySet<string> = new Set(['https:', 'http:', 'mailto:']);

/**
 * Returns the full URL that a link may open; `null` for one that could act, that points into this page, or that contains
 * a password.
 */
export function toSafeUrl(written: string): string | null {
  const url = URL.parse(written.trim());
  if (url === null || !OPENABLE_SCHEMES.has(url.protocol)) return null;
  return url.username === '' && url.password === '' ? url.href : null;
}

const LOOKS_LIKE_ONE = /(?:[a-z][a-z0-9+.-]*:\/\/|www\.)\S|^[^\s/@]+\.[a-z]{2,}(?:[/?#:]\S*)?$/iu;

/** Whether the label of a link names another host than its target. */
export function isMisleadingLink(linkText: string, address: string): boolean {
  const label = linkText.trim();
  if (!LOOKS_LIKE_ONE.test(label)) return false;
  const found = /\S*(?::\/\/|www\.)\S+/u.exec(label)?.[0] ?? label;
  const named = URL.parse(found.includes('://') ? found : `https://${found}`);
  return withoutWww(named?.hostname) !== withoutWww(URL.parse(address)?.hostname);
}

function withoutWww(host: string | undefined): string {
  return (host ?? '').replace(/^www\./u, '');
}
