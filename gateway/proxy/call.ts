import type { IncomingMessage, ServerResponse } from 'node:http';

/** One request on its way in, and where its answer goes. */
export interface Call {
  readonly request: IncomingMessage;
  readonly reply: ServerResponse;
  /** Aborted with CallerGone when the caller goes away before its answer is complete. */
  readonly gone: AbortSignal;
}

/** The caller went away: nobody's failure. */
export class CallerGone extends Error {
  override readonly name = 'CallerGone';
}
