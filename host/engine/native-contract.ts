import { oc } from '@orpc/contract';
import { z } from 'zod';

const SecretUnavailable = z.object({
  state: z.enum(['locked', 'unavailable']),
  reason: z.string(),
});
const SecretWrite = z.discriminatedUnion('state', [
  z.object({ state: z.literal('done') }),
  SecretUnavailable,
]);

/** Operations that only the main process can perform. It offers them to the engine only. */
export const nativeContract = {
  /** The keychain of this system, by account. Access to it belongs to the app's own program, not to the engine's. */
  secrets: {
    read: oc
      .input(z.string())
      .output(
        z.discriminatedUnion('state', [
          z.object({ state: z.literal('found'), secret: z.string() }),
          z.object({ state: z.literal('absent') }),
          SecretUnavailable,
        ]),
      ),
    write: oc.input(z.object({ account: z.string(), secret: z.string() })).output(SecretWrite),
    remove: oc.input(z.string()).output(SecretWrite),
  },
  /** Shows the file at a path in the file manager. Returns `false` when there is no such file. */
  reveal: oc.input(z.string()).output(z.boolean()),
  /** Returns the unguessable address under which the page can load a file of this disk from now on. */
  exposeFile: oc
    .input(z.object({ path: z.string(), name: z.string(), type: z.string(), bytes: z.number() }))
    .output(z.string()),
  /** Finds the system's proxy for an address. `reason`: why the configured one cannot be used. */
  proxyFor: oc
    .input(z.string())
    .output(z.object({ proxyUrl: z.string().nullable(), reason: z.string().nullable() })),
  /** Tells the main process that the proxy listens on another port. */
  portChanged: oc.input(z.number().int()),
};
export type NativeContract = typeof nativeContract;
