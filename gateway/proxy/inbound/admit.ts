import type { IncomingMessage } from 'node:http';
import { Problem } from '../../../shared/problem.ts';
import type { RawHeaders } from '../../http/headers.ts';

/** Who may talk to this listener at all: the gate before credentials, against pages that a browser has open. */
export interface AccessPolicy {
  readonly allowedOrigins: readonly string[];
  /** Our name in `Via` (RFC 9110 section 7.6.3). */
  readonly via: string;
}

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

/**
 * Lets a request head pass or throws: a foreign `Host` (DNS rebinding), a foreign `Origin` (a web page),
 * a target that is not a path, a body in a transfer coding that we do not undo, or a request that came back to us.
 */
export function admit(head: RequestHead, gate: AccessPolicy): void {
  if (!isOwnHost(head.host, head.port)) {
    throw new Problem(
      'host_not_allowed',
      `This address is for programs on this machine. Use http://127.0.0.1:${head.port}, not the host "${printable(head.host)}".`,
    );
  }
  if (head.origin !== undefined && !gate.allowedOrigins.includes(head.origin)) {
    throw new Problem(
      'origin_not_allowed',
      `Web pages from "${printable(head.origin)}" may not use Gatehouse. If this page is yours, start with --allow-origin ${printable(head.origin)}.`,
    );
  }
  if (!head.target.startsWith('/')) {
    throw new Problem(
      'absolute_target',
      'Gatehouse is not a forward proxy: ask for a path such as /v1/models, not for a whole address. Unset HTTP_PROXY in this client and set its base URL instead.',
    );
  }
  if (hasFaultyFraming(head)) {
    throw new Problem(
      'malformed_request',
      'The request came as HTTP/1.0 with a Transfer-Encoding, which HTTP/1.0 does not have. Send it as HTTP/1.1, or with Content-Length.',
    );
  }
  if (!isKnownTransferCoding(head.transferEncoding)) {
    throw new Problem(
      'transfer_coding_not_supported',
      'The body comes in a transfer coding other than “chunked”. Send it plain or chunked; to compress it, use Content-Encoding.',
    );
  }
  if (head.via?.includes(gate.via) === true) {
    throw new Problem(
      'loop_detected',
      'This request has already passed through this Gatehouse: the service address leads back here. Set the base address of the service itself.',
    );
  }
}

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

function printable(text: string | undefined): string {
  return (text ?? '').slice(0, 100).replaceAll(/[^\x21-\x7e]/g, '?');
}
