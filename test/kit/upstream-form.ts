import type { UpstreamForm } from '../../shared/upstream.ts';

/** What a person says about a service at this address who says nothing else. */
export function upstreamFormFor(baseUrl: string, more: Partial<UpstreamForm> = {}): UpstreamForm {
  return { name: '', baseUrl, versionVendor: 'anthropic', caFile: null, proxyUrl: null, ...more };
}
