import { z } from 'zod';

/** Id of the built-in sandbox as an upstream. It always exists and needs no key. */
export const SANDBOX_ID = 'sandbox';

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
  active: z.boolean(),
});
export type Upstream = z.infer<typeof Upstream>;

/** An upstream as entered. `baseUrl` may be anything that `upstreams.read` accepts. */
export const UpstreamForm = ConnectionOptions.extend({
  name: z.string().trim().max(64, 'A name has at most 64 characters.'),
  baseUrl: z.string().trim().min(1, 'Enter the address of the service.').max(2048, LONG_ADDRESS),
});
export type UpstreamForm = z.infer<typeof UpstreamForm>;

/** Result of a live test of address and key, for people. */
export const ConnectionTestReport = z.object({
  works: z.boolean(),
  sentence: z.string(),
  /** Number of models that the key may use; `null` when the list could not be read. */
  models: z.number().int().nullable(),
  durationMs: z.number(),
});
export type ConnectionTestReport = z.infer<typeof ConnectionTestReport>;
