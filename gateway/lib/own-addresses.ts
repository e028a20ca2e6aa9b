import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';
import type { OwnAddress } from '../../shared/connect/further-listener.ts';

/** Kinds of addresses that only machines of the own network can reach, as ipaddr.js names them. */
const PRIVATE_RANGES: ReadonlySet<string> = new Set(['private', 'uniqueLocal', 'carrierGradeNat']);

/** Whether a valid address belongs to a private network (RFC 1918, RFC 4193, RFC 6598). */
export function isPrivateAddress(address: string): boolean {
  return PRIVATE_RANGES.has(ipaddr.process(address).range());
}

/** Lists the addresses of this machine that a further listener may have. */
export function listPrivateAddresses(): OwnAddress[] {
  return (readOwnAddresses() ?? []).filter(({ address }) => isPrivateAddress(address));
}

/**
 * Reads the addresses of this machine with the names of their networks; `null` when the system does not tell them now, which happens
 * while the process has too many open files.
 */
export function readOwnAddresses(): (OwnAddress & Pick<NetworkInterfaceInfo, 'internal'>)[] | null {
  try {
    return Object.entries(networkInterfaces()).flatMap(([network, entries = []]) =>
      entries.map(({ address, internal }) => ({
        address: ipaddr.process(address).toString(),
        network,
        internal,
      })),
    );
  } catch {
    return null;
  }
}
