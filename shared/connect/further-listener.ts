import { z } from 'zod';

/** An address of this machine at which guests of it, such as containers, reach the proxy. */
export const FurtherListener = z.object({
  /** For people: what is there. */
  name: z.string().trim().min(1, 'Enter a name.').max(60, 'At most 60 characters.'),
  /** An IPv4 or IPv6 address that is neither public nor a loopback address. */
  address: z.string().trim().min(1, 'Enter an address.').max(100, 'This is no address.'),
});
export type FurtherListener = z.infer<typeof FurtherListener>;

/** Returns the address of the proxy there, such as `http://172.17.0.1:6417`. */
export function toListenerOrigin(
  { address }: Pick<FurtherListener, 'address'>,
  port: number,
): string {
  return `http://${address.includes(':') ? `[${address}]` : address}:${port}`;
}

/** A private address of this machine, and the name that the system has for its network. */
export const OwnAddress = z.object({ address: z.string(), network: z.string() });
export type OwnAddress = z.infer<typeof OwnAddress>;
