import { z } from 'zod';

/** The upstream that stands for the built-in sandbox. It is always there and needs no key. */
export const SANDBOX_ID = 'sandbox';

/** The vendor of the public Messages protocol: in the version header unless an upstream says otherwise. */
export const DEFAULT_VENDOR = 'anthropic';

export const UpstreamId = z.string().min(1).max(64).brand<'UpstreamId'>();
export type UpstreamId = z.infer<typeof UpstreamId>;

/** Where the service key of an upstream is, or why there is none. */
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
  /** The state in a sentence or two for people. Holds no secret. */
  sentence: z.string(),
});
export type KeyState = z.infer<typeof KeyState>;

/** A service key as typed or pasted. */
export const ServiceKey = z
  .string()
  .trim()
  .min(1, 'Give the service key.')
  .max(1200, 'A service key has at most 1200 characters.');

const LONG_ADDRESS = 'An address has at most 2048 characters.';

/** How the connections to an upstream are made. */
const ConnectionOptions = z.object({
  /** The `<vendor>` of the version header (spec section 9). */
  versionVendor: z
    .string()
    .trim()
    .toLowerCase()
    .regex(/^[a-z][a-z0-9-]{0,39}$/u, 'Letters, digits and hyphens, such as anthropic.'),
  /** Absolute path of a PEM file with more certificate authorities; `null` for the system's only. */
  caFile: z.string().trim().min(1).max(4096, 'A path has at most 4096 characters.').nullable(),
  /** Address of an HTTP proxy, `http://` or `https://`; `null` for a direct connection. */
  proxyUrl: z.string().trim().min(1).max(2048, LONG_ADDRESS).nullable(),
});

/** One configured service, or the sandbox. Never holds a key. */
export const Upstream = ConnectionOptions.extend({
  id: UpstreamId,
  name: z.string(),
  baseUrl: z.string(),
  kind: z.enum(['service', 'sandbox']),
  active: z.boolean(),
});
export type Upstream = z.infer<typeof Upstream>;

/** What a person says about an upstream. `baseUrl` may be anything that `upstreams.read` accepts. */
export const UpstreamForm = ConnectionOptions.extend({
  name: z.string().trim().max(64, 'A name has at most 64 characters.'),
  baseUrl: z.string().trim().min(1, 'Give the address of the service.').max(2048, LONG_ADDRESS),
});
export type UpstreamForm = z.infer<typeof UpstreamForm>;

/** How a live test of address and key went, for people. */
export const ConnectionTestReport = z.object({
  works: z.boolean(),
  sentence: z.string(),
  /** Models that the key may use; `null` when the list was not had. */
  models: z.number().int().nullable(),
  durationMs: z.number(),
});
export type ConnectionTestReport = z.infer<typeof ConnectionTestReport>;
