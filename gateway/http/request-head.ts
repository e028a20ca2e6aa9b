import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { toListenerOrigin } from '../../shared/connect/further-listener.ts';
import type { RawHeaders } from './headers.ts';

/** The parts of a request head that admission checks. */
export interface RequestHead {
  /** The address and the port of this machine that the request came in on. */
  readonly address: string;
  readonly port: number;
  readonly target: string;
  readonly host: string | undefined;
  readonly origin: string | undefined;
  readonly via: string | undefined;
  readonly transferEncoding: string | undefined;
  /** The version, such as `1.1`. */
  readonly httpVersion: string;
}

/** Reads the parts of a request head that admission checks. */
export function readRequestHead(request: IncomingMessage): RequestHead {
  const { origin, via } = request.headers;
  return {
    address: request.socket.localAddress ?? '',
    port: request.socket.localPort ?? 0,
    target: request.url ?? '',
    host: findHost(request.rawHeaders),
    origin,
    via,
    transferEncoding: request.headers['transfer-encoding'],
    httpVersion: request.httpVersion,
  };
}

/** Finds the Host. Several Host fields are joined, so that the result is not ours and is refused (RFC 9112 section 3.2). */
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

/** Whether the end of the body is ambiguous, so that the connection must be closed (RFC 9112 section 6.1). */
export function hasFaultyFraming(
  head: Pick<RequestHead, 'httpVersion' | 'transferEncoding'>,
): boolean {
  return head.transferEncoding !== undefined && head.httpVersion === '1.0';
}

/** Whether a transfer coding is decoded here, which is only true for `chunked` (RFC 9112 section 6.1). */
export function isKnownTransferCoding(coding: string | undefined): boolean {
  return coding === undefined || /^[ \t]*chunked[ \t]*$/iu.test(coding);
}

/** Whether a Host is a loopback name with our port, which may be left out for port 80 only. */
export function isOwnHost(host: string | undefined, port: number): boolean {
  if (host === undefined) return false;
  const name = host.toLowerCase();
  return LOOPBACK_NAMES.some(
    (loopback) => name === `${loopback}:${port}` || (port === 80 && name === loopback),
  );
}

/**
 * Names of the machine in containers and virtual machines, such as `host.docker.internal`. The public DNS has no names under
 * `internal`, so no page of the web has such a name.
 */
const NAME_INSIDE = /^(?:host|gateway)\.[a-z\d-]+\.internal$/u;

/** Whether a Host names this machine as containers and virtual machines do: by such a name, or by the address that they connected to. */
export function isHostOfGuest(
  host: string | undefined,
  { address, port }: Pick<RequestHead, 'address' | 'port'>,
): boolean {
  if (host === undefined) return false;
  const name = host.toLowerCase();
  const end = `:${port}`;
  if (port !== 80 && !name.endsWith(end)) return false;
  const bare = name.endsWith(end) ? name.slice(0, -end.length) : name;
  return NAME_INSIDE.test(bare) || `http://${bare}${end}` === toListenerOrigin({ address }, port);
}

/** Returns the address of ours that a client has connected to, such as `http://127.0.0.1:6417`. */
export function toOwnOrigin({
  localAddress = '',
  localPort = 0,
}: Pick<Socket, 'localAddress' | 'localPort'>): string {
  const address = localAddress === '::1' ? '127.0.0.1' : localAddress;
  return toListenerOrigin({ address }, localPort);
}
