import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { Agent } from 'undici';

/** For calls to our own proxy. That of the whole process may lead through a proxy of the environment, which would see the local key. */
export const directDispatcher = new Agent();

const LOOPBACK_HOSTS: ReadonlySet<string> = new Set(['loopback', 'unspecified']);

/** True for `localhost`, names under it, loopback addresses in any notation, and `0.0.0.0` and `::`, which connect to this machine. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replaceAll(/^\[|\]$|\.$/g, '');
  if (name === 'localhost' || name.endsWith('.localhost')) return true;
  return isIP(name) !== 0 && LOOPBACK_HOSTS.has(ipaddr.process(name).range());
}

/** Whether an address is one of ours: this machine, and a port that we listen on. */
export function isOwnAddress(url: URL, ownPorts: ReadonlySet<number>): boolean {
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
  return isLoopback(url.hostname) && ownPorts.has(port);
}
