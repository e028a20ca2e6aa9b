import type { UseFormReturnType } from '@mantine/form';
import { z } from 'zod';
import {
  DEFAULT_VENDOR,
  type Upstream,
  UpstreamForm,
  type KeyState,
} from '../../../../shared/upstream.ts';

/** What an upstream's dialog holds: the form of the contract, and a new one's key and place. */
export const UpstreamFormValues = UpstreamForm.extend({
  key: z.string().max(1200, 'A service key has at most 1200 characters.'),
  place: z.enum(['keychain', 'file']),
  /** Whether it is used as soon as it is added. */
  use: z.boolean(),
});
export type UpstreamFormValues = z.infer<typeof UpstreamFormValues>;

export type UpstreamFormHandle = UseFormReturnType<UpstreamFormValues>;

/** A draft to begin with; `null` for a service that is new. */
export function toFormValues(upstream: Upstream | null, use: boolean): UpstreamFormValues {
  const known = upstream === null ? EMPTY : toUpstreamForm(upstream);
  return { ...known, key: '', place: 'keychain', use };
}

/** An upstream as the calls of the contract take it. */
export function toUpstreamForm(upstream: UpstreamForm): UpstreamForm {
  const { name, baseUrl, versionVendor, caFile, proxyUrl } = upstream;
  return { name, baseUrl, versionVendor, caFile, proxyUrl };
}

const EMPTY: UpstreamForm = {
  name: '',
  baseUrl: '',
  versionVendor: DEFAULT_VENDOR,
  caFile: null,
  proxyUrl: null,
};

/** The host of an address, as far as it is one already; the placeholder of a name. */
export function hostPlaceholder(address: string): string {
  const text = address.trim();
  return URL.canParse(text) ? new URL(text).host : '';
}

export type UpstreamWithKey = Upstream & { readonly key: KeyState };
