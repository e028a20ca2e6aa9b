import type { ServerResponse } from 'node:http';

/**
 * Ends the connection of an answer that is not whole, once the bytes that were already written have left. The client always learns
 * of it: HTTP/1.0 has no chunks, so that a closed connection would be a proper end (RFC 9112 section 6.3); it is reset instead.
 */
export function abortResponse(response: ServerResponse): void {
  // An empty write is done when everything written before it is.
  response.write('', () => {
    if (response.req.httpVersion === '1.0') response.socket?.resetAndDestroy();
    else response.destroy();
  });
}
