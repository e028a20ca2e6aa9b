import { setTimeout as pause } from 'node:timers/promises';
import type { Upstream } from '../../shared/upstream.ts';
import type { Log } from '../host.ts';
import type { PlatformAdapter, SystemProxy } from '../platform.ts';
import { isLoopback } from '../lib/loopback.ts';

/** Asks the system for the proxy of an upstream. Never rejects, and takes five seconds at most. */
export type SystemProxyResolver = (
  upstream: Pick<Upstream, 'baseUrl' | 'proxyUrl'>,
) => Promise<SystemProxy>;

const NONE: SystemProxy = { proxyUrl: null, reason: null };
const TIMEOUT_MS = 5_000;
/** The result when the system did not answer in time. */
export const UNKNOWN_SYSTEM_PROXY: SystemProxy = {
  proxyUrl: null,
  reason: 'The system proxy could not be determined, so Gatehouse uses none until it can.',
};
const UNREADABLE =
  'The system proxy setting is not understood, so Gatehouse uses none. Set a proxy for the service in Settings.';

/** Creates the resolver. It does not ask for upstreams with their own proxy or on this machine. */
export function createSystemProxyResolver(
  platform: PlatformAdapter,
  log: Log,
): SystemProxyResolver {
  return async ({ baseUrl, proxyUrl }) => {
    if (platform.proxyFor === undefined || proxyUrl !== null) return NONE;
    if (isLoopback(new URL(baseUrl).hostname)) return NONE;
    try {
      const late = pause(TIMEOUT_MS, UNKNOWN_SYSTEM_PROXY, { ref: false });
      return toReadableProxy(await Promise.race([platform.proxyFor(baseUrl), late]));
    } catch (error) {
      log('warn', 'The system proxy could not be determined.', { reason: String(error) });
      return UNKNOWN_SYSTEM_PROXY;
    }
  };
}

function toReadableProxy(proxy: SystemProxy): SystemProxy {
  if (proxy.proxyUrl === null) return proxy;
  const url = URL.parse(proxy.proxyUrl);
  const usable = url !== null && /^https?:$/u.test(url.protocol);
  return usable ? { ...proxy, proxyUrl: url.origin } : { proxyUrl: null, reason: UNREADABLE };
}
