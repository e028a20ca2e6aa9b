import { lookup, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { Agent, type Dispatcher, Pool } from 'undici';

/** The connections of one upstream. */
export interface Connections {
  /** Goes to the service and nowhere else. */
  readonly service: Dispatcher;
  /** Goes wherever the service redirects to; refuses private targets when it connects. */
  readonly elsewhere: Dispatcher;
  /** Whether this machine and its private network may be a redirect's target. */
  readonly privateAllowed: boolean;
  /** Ends all connections at once. */
  close(): Promise<void>;
}

/**
 * HTTP/1.1 only, one request per connection at a time, no limit on time or number:
 * answers may be long and many, and their bytes are passed on as they are. `connectMs` is for a connection to be accepted.
 */
export function openConnections(serviceOrigin: string, connectMs: number): Connections {
  const privateAllowed = isLoopback(new URL(serviceOrigin).hostname);
  const shared = { allowH2: false, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 } as const;
  const service = new Pool(serviceOrigin, {
    ...shared,
    connections: null,
    connect: { timeout: connectMs },
  });
  const elsewhere = new Agent({
    ...shared,
    connect: {
      timeout: connectMs,
      ...(privateAllowed ? {} : { lookup: publicLookup }),
    },
  });
  return {
    service,
    elsewhere,
    privateAllowed,
    close: async () => {
      await Promise.all([service.destroy(), elsewhere.destroy()]);
    },
  };
}

const THIS_MACHINE: ReadonlySet<string> = new Set(['loopback', 'unspecified']);

/** True for `localhost`, names under it, loopback addresses in any notation, and `0.0.0.0` and `::`, which connect to this machine. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replaceAll(/^\[|\]$|\.$/g, '');
  if (name === 'localhost' || name.endsWith('.localhost')) return true;
  return isIP(name) !== 0 && THIS_MACHINE.has(ipaddr.process(name).range());
}

/** True only for addresses of the public internet: no loopback, private, link-local, reserved or embedded ones. */
export function isPublicAddress(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'unicast';
}

/** A redirect pointed to an address that is not public. */
export class PrivateAddress extends Error {
  readonly code = 'PRIVATE_ADDRESS';
}

/** Resolves a name like `dns.lookup`, and fails when any of its addresses is not public: checked on what is connected to. */
const publicLookup: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error !== null) return callback(error, '', 0);
    const refused = refusal(hostname, addresses);
    if (refused !== null) return callback(refused, '', 0);
    const first = addresses[0];
    if (options.all === true) return callback(null, addresses);
    return callback(null, first?.address ?? '', first?.family ?? 0);
  });
};

function refusal(hostname: string, addresses: readonly LookupAddress[]): PrivateAddress | null {
  const bad = addresses.find(({ address }) => !isPublicAddress(address));
  return bad === undefined ? null : new PrivateAddress(`${hostname} is ${bad.address}`);
}
