import { oc } from '@orpc/contract';
import { z } from 'zod';

const SandboxEnd = z.object({ state: z.enum(['locked', 'unavailable']), reason: z.string() });
const SecretWrite = z.discriminatedUnion('state', [
  z.object({ state: z.literal('done') }),
  SandboxEnd,
]);

/** What only the main process can do for the engine. It serves this to the engine and to nobody else. */
export const nativeContract = {
  /** The keychain of this system, by account: its rights belong to the app's own program, not to the engine's. */
  secrets: {
    read: oc
      .input(z.string())
      .output(
        z.discriminatedUnion('state', [
          z.object({ state: z.literal('found'), secret: z.string() }),
          z.object({ state: z.literal('absent') }),
          SandboxEnd,
        ]),
      ),
    write: oc.input(z.object({ account: z.string(), secret: z.string() })).output(SecretWrite),
    remove: oc.input(z.string()).output(SecretWrite),
  },
  /** Shows the file at a path in the file manager. `false` when there is no such file. */
  reveal: oc.input(z.string()).output(z.boolean()),
  /** The address under which the page finds a file of this disk from now on; nobody can guess it. */
  offer: oc
    .input(z.object({ path: z.string(), name: z.string(), type: z.string(), bytes: z.number() }))
    .output(z.string()),
  /** The proxy that this system uses for an address. `reason`: why the one that it names cannot be used. */
  proxyFor: oc
    .input(z.string())
    .output(z.object({ proxyUrl: z.string().nullable(), reason: z.string().nullable() })),
  /** Told when the engine's proxy listens at another port. */
  moved: oc.input(z.number().int()),
};
export type NativeContract = typeof nativeContract;
