import type { IncomingMessage } from 'node:http';
import {
  hasFaultyFraming,
  readRequestHead,
  isKnownTransferCoding,
  isOwnHost,
} from '../../http/request-head.ts';
import type { RequestRejection } from './http-responses.ts';

/** The parts of a request that the origin check uses. */
export interface RequestOrigin {
  readonly method: string;
  readonly target: string;
  /** The port on which the request arrived. */
  readonly port: number;
  readonly host: string | undefined;
  readonly origin: string | undefined;
  readonly transferEncoding: string | undefined;
  readonly httpVersion: string;
  /** `Sec-Fetch-Site`, `-Mode` and `-Dest` (W3C Fetch Metadata), as browsers send them and pages cannot. */
  readonly site: string | undefined;
  readonly mode: string | undefined;
  readonly dest: string | undefined;
}

/** Reads the parts of a request that the origin check uses. */
export function readRequestOrigin(request: IncomingMessage): RequestOrigin {
  const { port, target, host, origin, transferEncoding, httpVersion } = readRequestHead(request);
  const field = (name: string) => {
    const value = request.headers[name];
    return typeof value === 'string' ? value : undefined;
  };
  return {
    method: request.method ?? '',
    target,
    port,
    host,
    origin,
    transferEncoding,
    httpVersion,
    site: field('sec-fetch-site'),
    mode: field('sec-fetch-mode'),
    dest: field('sec-fetch-dest'),
  };
}

/**
 * Checks a request to the window's port. Returns `null`, or the reason for rejecting a foreign `Host` (DNS rebinding), a
 * target that is not a path, a foreign `Origin`, or any request of another page. Another page may only link to this one.
 */
export function checkOrigin(request: RequestOrigin): RequestRejection | null {
  const { port, host = '', origin, target } = request;
  if (!isOwnHost(host, port)) {
    return { status: 421, sentence: `The window of Gatehouse is at http://127.0.0.1:${port}.` };
  }
  if (!target.startsWith('/')) {
    return { status: 400, sentence: 'Request a path, not an absolute URL.' };
  }
  if (hasFaultyFraming(request)) {
    return { status: 400, sentence: 'HTTP/1.0 has no Transfer-Encoding. Send it as HTTP/1.1.' };
  }
  if (!isKnownTransferCoding(request.transferEncoding)) {
    return { status: 501, sentence: 'Send a body plain or chunked, in no other transfer coding.' };
  }
  if (origin !== undefined && origin !== `http://${host.toLowerCase()}`) {
    return FOREIGN_ORIGIN;
  }
  return isCrossSite(request) ? FOREIGN_ORIGIN : null;
}

const FOREIGN_ORIGIN: RequestRejection = {
  status: 403,
  sentence: 'Only the window of Gatehouse itself may request this.',
};

function isCrossSite({ site, mode, dest, method }: RequestOrigin): boolean {
  if (site === undefined || site === 'same-origin' || site === 'none') return false;
  return !(method === 'GET' && mode === 'navigate' && dest === 'document');
}
