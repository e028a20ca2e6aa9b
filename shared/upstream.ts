import { z } from 'zod';
import { SANDBOX_ID } from './sandbox-id.ts';

/** Vendor of the public Messages protocol, used in the version header by default. */
export const DEFAULT_VENDOR = 'anthropic';

export const UpstreamId = z.string().min(1).max(64).brand<'UpstreamId'>();
export type UpstreamId = z.infer<typeof UpstreamId>;

/** Location of the service key of an upstream, or why there is none. */
export const KeyStateName = z.enum([
  'keychain',
  'environment',
  'this-run',
  'file',
  'locked',
  'unavailable',
  'missing',
]);
export type KeyStateName = z.infer<typeof KeyStateName>;

export const KeyState = z.object({
  name: KeyStateName,
  /** Message for people. Contains no secret. */
  sentence: z.string(),
});
export type KeyState = z.infer<typeof KeyState>;

/** A service key as typed or pasted. */
export const ServiceKey = z
  .string()
  .trim()
  .min(1, 'Enter the service key.')
  .max(1200, 'A service key has at most 1200 characters.');

const LONG_ADDRESS = 'An address has at most 2048 characters.';

/** Connection options of an upstream. */
const ConnectionOptions = z.object({
  /** The `<vendor>` of the version header (spec section 9). */
  versionVendor: z
    .string()
    .trim()
    .toLowerCase()
    .regex(/^[a-z][a-z0-9-]{0,39}$/u, 'Letters, digits and hyphens, such as anthropic.'),
  /** Absolute path of a PEM file with additional certificate authorities; `null` for the system's only. */
  caFile: z.string().trim().min(1).max(4096, 'A path has at most 4096 characters.').nullable(),
  /** Address of an HTTP proxy, `http://` or `https://`; `null` for a direct connection. */
  proxyUrl: z.string().trim().min(1).max(2048, LONG_ADDRESS).nullable(),
});

/** One configured service, or the sandbox. Never contains a key. */
export const Upstream = ConnectionOptions.extend({
  id: UpstreamId,
  name: z.string(),
  baseUrl: z.string(),
  kind: z.enum(['service', 'sandbox']),
  /** Whether requests ask the service why its prompt cache missed. */
  asksCacheReason: z.boolean(),
  active: z.boolean(),
});
export type Upstream = z.infer<typeof Upstream>;

/** Returns the stable id of a service, as exchanges and videos record it. The sandbox has another address after each start. */
export function toServiceId({ kind, baseUrl }: Pick<Upstream, 'kind' | 'baseUrl'>): string {
  return kind === 'sandbox' ? SANDBOX_ID : baseUrl;
}

/** Times before which exchanges say nothing about the service in use as it is now, in Unix milliseconds. */
export interface UpstreamTimes {
  /** Since when it is in use, also in earlier runs. */
  readonly usedSince: number;
  /** When its key was mended in this run; 0 for never. Refusals of the key before do not count. */
  readonly keyMendedAt: number;
}

/** An upstream as entered. `baseUrl` may be anything that `upstreams.read` accepts. */
export const UpstreamForm = ConnectionOptions.extend({
  name: z.string().trim().max(64, 'A name has at most 64 characters.'),
  baseUrl: z.string().trim().min(1, 'Enter the address of the service.').max(2048, LONG_ADDRESS),
  /** See {@link Upstream}; it stays when it is missing, and is off for a new upstream. */
  asksCacheReason: z.boolean().optional(),
});
export type UpstreamForm = z.infer<typeof UpstreamForm>;

/** A place where a service key is stored. */
export const KeyPlace = z.enum(['keychain', 'file']);
export type KeyPlace = z.infer<typeof KeyPlace>;

/** Whether service keys can be stored in a place; `reason` says why not, or that it has not answered yet. */
export const KeyPlaceState = z.object({
  place: KeyPlace,
  works: z.boolean(),
  reason: z.string().nullable(),
});
export type KeyPlaceState = z.infer<typeof KeyPlaceState>;

/** A service to add with its key. */
export const NewUpstream = UpstreamForm.extend({
  key: ServiceKey.nullable().default(null),
  place: KeyPlace.default('keychain'),
  /** Whether new exchanges are sent to it at once. */
  use: z.boolean().default(false),
  /** Whether it is added without a test of its key. */
  untested: z.boolean().default(false),
});
export type NewUpstream = z.infer<typeof NewUpstream>;

/** Result of a live test of address and key, for people. */
export const ConnectionTestReport = z.object({
  works: z.boolean(),
  sentence: z.string(),
  /** Number of models that the key may use; `null` when the list could not be read. */
  models: z.number().int().nullable(),
  durationMs: z.number(),
});
export type ConnectionTestReport = z.infer<typeof ConnectionTestReport>;

/** The added service, or the failed test because of which nothing was added. */
export const AddedUpstream = z.object({
  upstream: Upstream.nullable(),
  test: ConnectionTestReport.nullable(),
});
export type AddedUpstream = z.infer<typeof AddedUpstream>;
