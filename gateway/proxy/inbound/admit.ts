import type { AccessPolicy, ClientRequest } from '../context.ts';
import { Problem } from '../../../shared/problem.ts';
import {
  hasFaultyFraming,
  isHostOfGuest,
  isKnownTransferCoding,
  isOwnHost,
  toOwnOrigin,
  type RequestHead,
} from '../../http/request-head.ts';
import type { IncomingMessage } from 'node:http';

/**
 * Checks a request head. @throws Problem for a foreign `Host` (DNS rebinding), a foreign `Origin` (a web page),
 * a target that is not a path, a body in a transfer coding that we do not undo, or a request that came back to us.
 */
export function admit(head: RequestHead, policy: AccessPolicy): void {
  if (!isOwnHost(head.host, head.port) && !isHostOfGuest(head.host, head)) {
    throw new Problem(
      'host_not_allowed',
      `This address answers to its own name only. Use ${toOwnOrigin({ localAddress: head.address, localPort: head.port })}, not the host "${printable(head.host)}".`,
    );
  }
  if (head.origin !== undefined && !policy.allowedOrigins.includes(head.origin)) {
    throw new Problem(
      'origin_not_allowed',
      `Web pages from "${printable(head.origin)}" may not use Gatehouse. If this page is yours, start with --allow-origin ${printable(head.origin)}.`,
    );
  }
  if (!head.target.startsWith('/')) {
    throw new Problem(
      'absolute_target',
      'Gatehouse is not a forward proxy: request a path such as /v1/models, not an absolute URL. Unset HTTP_PROXY in this client and set its base URL instead.',
    );
  }
  if (hasFaultyFraming(head)) {
    throw new Problem(
      'malformed_request',
      'The request uses HTTP/1.0 with a Transfer-Encoding, which HTTP/1.0 does not have. Send it as HTTP/1.1, or with Content-Length.',
    );
  }
  if (!isKnownTransferCoding(head.transferEncoding)) {
    throw new Problem(
      'transfer_coding_not_supported',
      'The body uses a transfer coding other than “chunked”. Send it plain or chunked; to compress it, use Content-Encoding.',
    );
  }
  if (head.via?.includes(policy.via) === true) {
    throw new Problem(
      'loop_detected',
      'This request has already passed through this Gatehouse: the service address leads back here. Set the base address of the service itself.',
    );
  }
}

function printable(text: string | undefined): string {
  return (text ?? '').slice(0, 100).replaceAll(/[^\x21-\x7e]/g, '?');
}

export function refuseUpgrade(request: IncomingMessage): void {
  if (!asksForWebSocket(request)) return;
  throw new Problem(
    'upgrade_not_supported',
    'Gatehouse speaks HTTP here, not WebSocket. Send the same request with POST; for Codex, set supports_websockets = false for this provider.',
  );
}

/** Whether a request asks for an upgrade to WebSocket. */
export function asksForWebSocket(request: IncomingMessage): boolean {
  return request.headers.upgrade?.toLowerCase().includes('websocket') === true;
}

/** Sets the CORS headers that let a page of an allowed origin read the response. Call it after `admit`. */
export function allowOrigin({ request, response }: ClientRequest): void {
  const { origin } = request.headers;
  if (origin === undefined) return;
  response.setHeader('access-control-allow-origin', origin);
  response.setHeader('access-control-expose-headers', '*');
  response.setHeader('vary', 'origin');
}
