import type { IncomingMessage, ServerResponse } from 'node:http';

/** One request on its way in, and where its answer goes. */
export interface ClientRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Aborted with CallerGone when the caller goes away before its answer is complete. */
  readonly signal: AbortSignal;
  /** Tells a client that waits for it to send its body (`Expect: 100-continue`, RFC 9110 section 10.1.1). */
  readonly sendContinue: () => void;
  /** Whether the client still waits for that. */
  readonly isWaiting: () => boolean;
}

/** Resolves when the last byte of an answer has left, or its client has. */
export function responseClosed(response: ServerResponse): Promise<void> {
  if (response.writableFinished || response.closed) return Promise.resolve();
  return new Promise((resolve) => {
    response.once('finish', resolve);
    response.once('close', resolve);
  });
}
