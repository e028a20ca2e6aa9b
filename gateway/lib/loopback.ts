import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

const LOOPBACK_HOSTS: ReadonlySet<string> = new Set(['loopback', 'unspecified']);

/**
 * Returns true for `localhost`, names under it, loopback addresses in any notation, and `0.0.0.0` and `::`, which connect to
 * this machine.
 */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replaceAll(/^\[|\]$|\.$/g, '');
  if (name === 'localhost' || name.endsWith('.localhost')) return true;
  return isIP(name) !== 0 && LOOPBACK_HOSTS.has(ipaddr.process(name).range());
}

/** Returns whether an address belongs to us: this machine, and a port that we listen on. */
export function isOwnAddress(url: URL, ownPorts: ReadonlySet<number>): boolean {
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
  return isLoopback(url.hostname) && ownPorts.has(port);
}
