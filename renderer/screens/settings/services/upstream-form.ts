import type { UseFormReturnType } from '@mantine/form';
import { z } from 'zod';
import {
  DEFAULT_VENDOR,
  type Upstream,
  UpstreamForm,
  type KeyState,
} from '../../../../shared/upstream.ts';

/** The form values of an upstream, with the key of a new one and its storage. */
export const UpstreamFormValues = UpstreamForm.extend({
  key: z.string().max(1200, 'A service key has at most 1200 characters.'),
  place: z.enum(['keychain', 'file']),
  /** Whether it is used as soon as it is added. */
  use: z.boolean(),
});
export type UpstreamFormValues = z.infer<typeof UpstreamFormValues>;

export type UpstreamFormHandle = UseFormReturnType<UpstreamFormValues>;

/** Returns the initial form values; `null` for a new service. */
export function toFormValues(upstream: Upstream | null, use: boolean): UpstreamFormValues {
  const known = upstream === null ? EMPTY : toUpstreamForm(upstream);
  return { ...known, key: '', place: 'keychain', use };
}

/** Converts the form to an upstream of the contract. */
export function toUpstreamForm(upstream: UpstreamForm): UpstreamForm {
  const { name, baseUrl, versionVendor, caFile, proxyUrl, asksCacheReason = false } = upstream;
  return { name, baseUrl, versionVendor, caFile, proxyUrl, asksCacheReason };
}

const EMPTY: UpstreamForm = {
  name: '',
  baseUrl: '',
  versionVendor: DEFAULT_VENDOR,
  caFile: null,
  proxyUrl: null,
  asksCacheReason: false,
};

/** Returns the host of an address that may be incomplete, as the placeholder of the name. */
export function hostPlaceholder(address: string): string {
  const text = address.trim();
  return URL.canParse(text) ? new URL(text).host : '';
}

export type UpstreamWithKey = Upstream & { readonly key: KeyState };
