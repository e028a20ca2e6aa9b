const OPENABLE_SCHEMES: ReadonlySet<string> = new Set(['https:', 'http:', 'mailto:']);

/** The whole address that a link may lead to; `null` for one that could act, that leads into this page, or that carries a password. */
export function toSafeUrl(written: string): string | null {
  const url = URL.parse(written.trim());
  if (url === null || !OPENABLE_SCHEMES.has(url.protocol)) return null;
  return url.username === '' && url.password === '' ? url.href : null;
}

const LOOKS_LIKE_ONE = /(?:[a-z][a-z0-9+.-]*:\/\/|www\.)\S|^[^\s/@]+\.[a-z]{2,}(?:[/?#:]\S*)?$/iu;

/** Whether the words of a link name another place than the one that it leads to. */
export function isMisleadingLink(words: string, address: string): boolean {
  const said = words.trim();
  if (!LOOKS_LIKE_ONE.test(said)) return false;
  const found = /\S*(?::\/\/|www\.)\S+/u.exec(said)?.[0] ?? said;
  const named = URL.parse(found.includes('://') ? found : `https://${found}`);
  return withoutWww(named?.hostname) !== withoutWww(URL.parse(address)?.hostname);
}

function withoutWww(host: string | undefined): string {
  return (host ?? '').replace(/^www\./u, '');
}
