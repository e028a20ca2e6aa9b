import type { Duplex } from 'node:stream';
import { Socket } from 'node:net';
import { type buildConnector, Pool } from 'undici';

/** Ways through an HTTP proxy (RFC 9110 section 9.3.6), for plain targets too, so that a request is sent exactly as it is without one. */
export interface Tunnels {
  /** Connects to a host and port behind the proxy. Rejects with ProxyFailure. */
  open(host: string, port: number): Promise<Socket>;
  /** Ends what is being opened; tunnels that are open stay. */
  close(): Promise<void>;
}

/** The proxy did not let a connection through. The message is for people. */
export class ProxyError extends Error {
  override readonly name = 'ProxyFailure';
  readonly code = 'PROXY_FAILED';
}

export interface TunnelsOptions {
  /** Origin of the proxy. */
  readonly proxyUrl: string;
  /** For the proxy to answer, in milliseconds. */
  readonly connectMs: number;
  /** Connects to the proxy itself. */
  readonly connect: buildConnector.connector;
}

export function openTunnels({ proxyUrl, connectMs, connect }: TunnelsOptions): Tunnels {
  const proxy = new Pool(proxyUrl, { allowH2: false, headersTimeout: connectMs, connect });
  return {
    open: async (host, port) => {
      const path = `${host.includes(':') ? `[${host.replaceAll(/[[\]]/g, '')}]` : host}:${port}`;
      const answer = await proxy
        .connect({ path, headers: { host: path } })
        .catch((error: unknown) => {
          throw new ProxyError(`The proxy at ${proxyUrl} could not be reached (${codeOf(error)}).`);
        });
      const socket = asSocket(answer.socket);
      if (answer.statusCode === 200) return socket;
      socket.destroy();
      throw new ProxyError(
        `The proxy at ${proxyUrl} does not connect to ${path} (${answer.statusCode}).`,
      );
    },
    close: async () => await proxy.destroy(),
  };
}

/** undici hands over the very socket that its connector made. */
function asSocket(stream: Duplex): Socket {
  if (stream instanceof Socket) return stream.on('error', () => undefined);
  throw new TypeError('A tunnel is not a socket.');
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'no reason given';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}
