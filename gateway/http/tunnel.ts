import type { Duplex } from 'node:stream';
import { Socket } from 'node:net';
import type { buildConnector } from 'undici';
import { Pool } from '../lib/undici.ts';

/** Tunnels through an HTTP proxy (RFC 9110 section 9.3.6), also for http targets, so that requests are the same as without a proxy. */
export interface Tunnels {
  /** Connects to a host and port behind the proxy. @throws ProxyError */
  open(host: string, port: number): Promise<Socket>;
  /** Aborts tunnels that are being opened. Open ones stay. */
  close(): Promise<void>;
}

/** The error of a proxy that refused a connection. Its message is for people. */
export class ProxyError extends Error {
  override readonly name = 'ProxyError';
  readonly code = 'PROXY_FAILED';
}

export interface TunnelsOptions {
  /** Origin of the proxy. */
  readonly proxyUrl: string;
  /** Timeout for the answer of the proxy, in milliseconds. */
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
          throw new ProxyError(
            `The proxy at ${proxyUrl} could not be reached (${findErrorCode(error)}).`,
          );
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

/** Gets the socket that undici's connector created. */
function asSocket(stream: Duplex): Socket {
  if (stream instanceof Socket) return stream.on('error', () => undefined);
  throw new TypeError('A tunnel is not a socket.');
}

function findErrorCode(error: unknown): string {
  if (!(error instanceof Error)) return 'no reason given';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message;
}
