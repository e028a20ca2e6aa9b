import { lookup, type LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Whether an address belongs to the public internet, and is not loopback, private, link-local, reserved or embedded. */
export function isPublicAddress(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'unicast';
}

/** The error for a redirect to an address that is not public. */
export class PrivateAddressError extends Error {
  readonly code = 'PRIVATE_ADDRESS';
}

/** Resolves a name like `dns.lookup`. Fails when any of its addresses is not public, so that the checked address is the one connected to. */
export const publicLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error !== null) return callback(error, '', 0);
    const refused = refusal(hostname, addresses);
    if (refused !== null) return callback(refused, '', 0);
    const first = addresses[0];
    if (options.all === true) return callback(null, addresses);
    return callback(null, first?.address ?? '', first?.family ?? 0);
  });
};

function refusal(
  hostname: string,
  addresses: readonly LookupAddress[],
): PrivateAddressError | null {
  const bad = addresses.find(({ address }) => !isPublicAddress(address));
  return bad === undefined ? null : new PrivateAddressError(`${hostname} is ${bad.address}`);
}
