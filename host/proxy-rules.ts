import type { SystemProxy } from '../gateway/gateway.ts';

const SUPPORTED_SCHEMES: Readonly<Record<string, string>> = {
  PROXY: 'http',
  HTTP: 'http',
  HTTPS: 'https',
};

/** Reads rules in the form of PAC files, such as `PROXY cache:3128; DIRECT`: the first usable one counts. */
export function parseProxyRules(rules: string): SystemProxy {
  const list = rules.split(';').map((rule) => rule.trim().split(/\s+/u));
  for (const [kind = '', host = ''] of list) {
    if (kind.toUpperCase() === 'DIRECT') return { proxyUrl: null, reason: null };
    const scheme = SUPPORTED_SCHEMES[kind.toUpperCase()];
    if (scheme !== undefined && host !== '') {
      return { proxyUrl: `${scheme}://${host}`, reason: null };
    }
  }
  const named = list[0]?.[0] ?? '';
  return {
    proxyUrl: null,
    reason:
      named === ''
        ? null
        : `This system uses a proxy of type ${named}, which Gatehouse cannot use. It connects directly.`,
  };
}
