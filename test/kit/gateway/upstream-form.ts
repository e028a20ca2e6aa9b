import type { UpstreamForm } from '../../../shared/upstream.ts';

/** Builds the form of an upstream with only its address filled in. */
export function upstreamFormFor(baseUrl: string, more: Partial<UpstreamForm> = {}): UpstreamForm {
  return { name: '', baseUrl, versionVendor: 'anthropic', caFile: null, proxyUrl: null, ...more };
}
