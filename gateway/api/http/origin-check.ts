import type { IncomingMessage } from 'node:http';
import {
  hasFaultyFraming,
  readRequestHead,
  isKnownTransferCoding,
  isOwnHost,
} from '../../http/request-head.ts';

/** Why a request to the window's port is turned away; `sentence` is for people. */
export interface OriginRejection {
  readonly status: number;
  readonly sentence: string;
}

/** What the gate looks at. */
export interface RequestOrigin {
  readonly method: string;
  readonly target: string;
  /** The port that the request came in on. */
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

/** The parts of a request that the gate looks at. */
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
 * Lets a request to the window's port pass (`null`) or says why not: a foreign `Host` (DNS rebinding), a target that is no path,
 * a foreign `Origin`, or anything that another page asks for. Another page may only bring a person here by a link.
 */
export function checkOrigin(request: RequestOrigin): OriginRejection | null {
  const { port, host = '', origin, target } = request;
  if (!isOwnHost(host, port)) {
    return { status: 421, sentence: `The window of Gatehouse is at http://127.0.0.1:${port}.` };
  }
  if (!target.startsWith('/')) {
    return { status: 400, sentence: 'Ask for a path, not for a whole address.' };
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

const FOREIGN_ORIGIN: OriginRejection = {
  status: 403,
  sentence: 'Only the window of Gatehouse itself may ask for this.',
};

function isCrossSite({ site, mode, dest, method }: RequestOrigin): boolean {
  if (site === undefined || site === 'same-origin' || site === 'none') return false;
  return !(method === 'GET' && mode === 'navigate' && dest === 'document');
}
