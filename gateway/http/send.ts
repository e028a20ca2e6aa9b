import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { ByteChunks } from '../lib/byte-chunks.ts';
import type { CancelSignal } from './cancel-signal.ts';
import { UpstreamBody } from './upstream-body.ts';
import { ClientDisconnectedError, UpstreamSendError } from './errors.ts';
import { forwardableResponseHeaders } from './headers.ts';

const CLIENT_LEFT = 'The client disconnected.';

/** A request as it is sent to the service, with credentials. */
export interface UpstreamRequest {
  readonly origin: string;
  /** The path and query, beginning with `/`. */
  readonly path: string;
  readonly method: string;
  readonly headers: string[];
  readonly body: Buffer | ByteChunks | Readable | null;
}

/** The service's response, without hop-by-hop fields, and with its body still to be read. */
export interface UpstreamResponse {
  readonly status: number;
  readonly statusText: string;
  readonly headers: string[];
  readonly body: UpstreamBody;
}

/** The origin of a call to the service. */
export interface Caller {
  /** The client, for fairness in the queue; `null` for Gatehouse itself. */
  readonly client: string | null;
  /** Whether it orders a video. A pause refuses orders, also Gatehouse's own. */
  readonly isOrder?: boolean;
  readonly isRetry: boolean;
  /** Is called when the call leaves the queue. */
  readonly onLeave: () => void;
}

/** Options of a request that passes a service limit. */
export interface LimitedOptions extends Dispatcher.DispatchOptions {
  readonly caller?: Caller;
  /** Removes the call from the queue when it is aborted. */
  readonly signal?: CancelSignal;
}

/** The caller of a request, and the signals that end it. */
export interface SendOptions {
  /** Aborts the request. */
  readonly signal: CancelSignal;
  /** Ends the wait in the queue; defaults to `signal`. */
  readonly waitingSignal?: CancelSignal;
  /** Defaults to Gatehouse itself. */
  readonly caller?: Caller;
  /** Is called right before the first byte is written: from then on something may arrive. */
  readonly onStart?: () => void;
}

/**
 * Sends a request once and resolves with the head of the response. There is no timeout, because generations may be long.
 * @throws UpstreamSendError, which says whether anything can have arrived; ClientDisconnectedError
 */
export function send(
  dispatcher: Dispatcher,
  upstreamRequest: UpstreamRequest,
  { signal, waitingSignal = signal, caller, onStart }: SendOptions,
): Promise<UpstreamResponse> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(new ClientDisconnectedError(CLIENT_LEFT));
      return;
    }
    const options: LimitedOptions = {
      ...toDispatched(upstreamRequest),
      headersTimeout: 0,
      bodyTimeout: 0,
      signal: waitingSignal,
      ...(caller === undefined ? {} : { caller }),
    };
    dispatcher.dispatch(options, new ResponseHandler(signal, resolve, reject, onStart));
  });
}

/** Returns the request as undici takes it. It does not know the length of a body in pieces. */
function toDispatched({ headers, body, ...rest }: UpstreamRequest) {
  if (!(body instanceof ByteChunks)) return { ...rest, headers, body };
  const length = ['content-length', String(body.length)];
  const dispatched = { ...rest, headers: [...headers, ...length], body: null };
  // undici takes iterables, but its types do not say so. A stream of them costs more than joining them.
  return Object.assign(dispatched, { body: body.chunks });
}

/** Handles undici's events of a request: the head resolves the promise, the rest goes to the body. */
class ResponseHandler implements Dispatcher.DispatchHandler {
  readonly #signal: CancelSignal;
  readonly #resolve: (upstreamResponse: UpstreamResponse) => void;
  readonly #reject: (error: Error) => void;
  readonly #onStart: (() => void) | undefined;
  #controller: Dispatcher.DispatchController | null = null;
  #body: UpstreamBody | null = null;

  constructor(
    signal: CancelSignal,
    resolve: (upstreamResponse: UpstreamResponse) => void,
    reject: (error: Error) => void,
    onStart?: () => void,
  ) {
    this.#signal = signal;
    this.#onStart = onStart;
    this.#resolve = resolve;
    this.#reject = reject;
    signal.addEventListener('abort', this.#onAbort);
  }

  readonly #onAbort = (): void => {
    const reason = new ClientDisconnectedError(CLIENT_LEFT);
    this.#reject(reason);
    this.#controller?.abort(reason);
  };

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#signal.aborted) controller.abort(new ClientDisconnectedError(CLIENT_LEFT));
    else this.#onStart?.();
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    _parsed: unknown,
    statusText?: string,
  ): void {
    if (status < 200) return;
    this.#body = new UpstreamBody(controller);
    this.#resolve({
      status,
      statusText: statusText ?? '',
      headers: forwardableResponseHeaders(rawStrings(controller.rawHeaders)),
      body: this.#body,
    });
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    // A parser that is resumed within a chunk passes an empty one. A reader that asks for more at once would never stop.
    if (chunk.length > 0) this.#body?.push(chunk);
  }

  onResponseEnd(): void {
    this.#settle();
    this.#body?.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: Error): void {
    this.#settle();
    if (this.#body === null) this.#reject(new UpstreamSendError(error, this.#controller === null));
    else this.#body.fail(error);
  }

  #settle(): void {
    this.#signal.removeEventListener('abort', this.#onAbort);
  }
}

/** Decodes the header bytes of undici, which are latin1. */
function rawStrings(raw: Dispatcher.DispatchController['rawHeaders']): string[] {
  if (!Array.isArray(raw)) return [];
  return raw.map((part) => (typeof part === 'string' ? part : part.toString('latin1')));
}
