import type { IncomingMessage } from 'node:http';
import type { RawHeaders } from './headers.ts';

/** The parts of a request head that the gate looks at. */
export interface RequestHead {
  /** The port that the request came in on. */
  readonly port: number;
  readonly target: string;
  readonly host: string | undefined;
  readonly origin: string | undefined;
  readonly via: string | undefined;
  readonly transferEncoding: string | undefined;
  /** As Node gives it: `1.1`. */
  readonly httpVersion: string;
}

/** The parts of a request that the gate looks at. */
export function readRequestHead(request: IncomingMessage): RequestHead {
  const { origin, via } = request.headers;
  return {
    port: request.socket.localPort ?? 0,
    target: request.url ?? '',
    host: findHost(request.rawHeaders),
    origin,
    via,
    transferEncoding: request.headers['transfer-encoding'],
    httpVersion: request.httpVersion,
  };
}

/** Several Host fields are put together, so that none of them is ours (RFC 9112 section 3.2 wants them refused). */
function findHost(headers: RawHeaders): string | undefined {
  let host: string | undefined;
  for (let i = 0; i < headers.length; i += 2) {
    const name = headers[i] ?? '';
    if (name.length !== 4 || name.toLowerCase() !== 'host') continue;
    const value = headers[i + 1] ?? '';
    host = host === undefined ? value : `${host}, ${value}`;
  }
  return host;
}

const LOOPBACK_NAMES = ['127.0.0.1', 'localhost', '[::1]'];

/** Where the body of such a request ends is not certain, so its connection must be closed (RFC 9112 section 6.1). */
export function hasFaultyFraming(
  head: Pick<RequestHead, 'httpVersion' | 'transferEncoding'>,
): boolean {
  return head.transferEncoding !== undefined && head.httpVersion === '1.0';
}

/** Chunks are the only transfer coding that is undone here; what is under another one would be passed on as if it were the body (RFC 9112 section 6.1). */
export function isKnownTransferCoding(coding: string | undefined): boolean {
  return coding === undefined || /^[ \t]*chunked[ \t]*$/iu.test(coding);
}

/** True for a loopback name with our port; the port may be left out only where HTTP leaves it out. */
export function isOwnHost(host: string | undefined, port: number): boolean {
  if (host === undefined) return false;
  const name = host.toLowerCase();
  return LOOPBACK_NAMES.some(
    (loopback) => name === `${loopback}:${port}` || (port === 80 && name === loopback),
  );
}
