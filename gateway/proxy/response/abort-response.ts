import type { ServerResponse } from 'node:http';

/**
 * Cuts the connection of an incomplete response once the bytes written so far are sent. In HTTP/1.0 a closed connection is a proper end
 * of a body (RFC 9112 section 6.3), so the connection is reset.
 */
export function abortResponse(response: ServerResponse): void {
  // The callback of an empty write comes after everything written before.
  response.write('', () => {
    if (response.req.httpVersion === '1.0') response.socket?.resetAndDestroy();
    else response.destroy();
  });
}
