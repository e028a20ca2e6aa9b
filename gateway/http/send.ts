import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { UpstreamBody } from './upstream-body.ts';
import { ClientDisconnectedError, UpstreamSendError } from './errors.ts';
import { forwardableResponseHeaders } from './headers.ts';

const LEFT = 'The client left.';

/** One request as it goes to the service: final headers, credentials included. */
export interface UpstreamRequest {
  readonly origin: string;
  /** Path and query, beginning with `/`. */
  readonly path: string;
  readonly method: string;
  readonly headers: string[];
  readonly body: Buffer | Readable | null;
}

/** The head of the service's answer, hop-by-hop fields removed, and its body still to be read. */
export interface UpstreamResponse {
  readonly status: number;
  readonly statusText: string;
  readonly headers: string[];
  readonly body: UpstreamBody;
}

/** Who makes a call to the service. */
export interface Caller {
  /** Clients take turns when calls wait; `null` for Gatehouse itself, which has one turn among them. */
  readonly client: string | null;
  /** Whether it orders a video: a pause keeps it back, also when the order is Gatehouse's own. */
  readonly isOrder?: boolean;
  readonly isRetry: boolean;
  /** Told when the call leaves. */
  readonly onLeave: () => void;
}

/** A request to a limited service. */
export interface LimitedOptions extends Dispatcher.DispatchOptions {
  readonly caller?: Caller;
  /** Aborted when nobody wants the answer any more: then the call leaves the queue. */
  readonly signal?: unknown;
}

/** For whom a request is sent. */
export interface SendOptions {
  /** Aborted when nobody wants the answer any more. */
  readonly signal: AbortSignal;
  /** The same while it waits for its turn; `gone` unless given. */
  readonly waitingSignal?: AbortSignal;
  /** Gatehouse itself unless given. */
  readonly caller?: Caller;
}

/**
 * Sends one request, once, and resolves with the head of the answer. Rejects with a SendFailure that says whether anything can
 * have arrived, or with CallerGone. No time limit on the answer: generations may be long.
 */
export function send(
  dispatcher: Dispatcher,
  upstreamRequest: UpstreamRequest,
  { signal, waitingSignal = signal, caller }: SendOptions,
): Promise<UpstreamResponse> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(new ClientDisconnectedError(LEFT));
      return;
    }
    const options: LimitedOptions = {
      ...upstreamRequest,
      headersTimeout: 0,
      bodyTimeout: 0,
      signal: waitingSignal,
      ...(caller === undefined ? {} : { caller }),
    };
    dispatcher.dispatch(options, new ResponseHandler(signal, resolve, reject));
  });
}

/** Receives undici's events for one request and hands them on: the head to `resolve`, the rest to the body. */
class ResponseHandler implements Dispatcher.DispatchHandler {
  readonly #signal: AbortSignal;
  readonly #resolve: (upstreamResponse: UpstreamResponse) => void;
  readonly #reject: (error: Error) => void;
  #controller: Dispatcher.DispatchController | null = null;
  #body: UpstreamBody | null = null;

  constructor(
    signal: AbortSignal,
    resolve: (upstreamResponse: UpstreamResponse) => void,
    reject: (error: Error) => void,
  ) {
    this.#signal = signal;
    this.#resolve = resolve;
    this.#reject = reject;
    signal.addEventListener('abort', this.#leave);
  }

  readonly #leave = (): void => {
    const reason = new ClientDisconnectedError(LEFT);
    this.#reject(reason);
    this.#controller?.abort(reason);
  };

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#signal.aborted) controller.abort(new ClientDisconnectedError(LEFT));
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
    this.#body?.push(chunk);
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
    this.#signal.removeEventListener('abort', this.#leave);
  }
}

/** Header bytes are latin1 on the wire; undici hands them over as buffers. */
function rawStrings(raw: Dispatcher.DispatchController['rawHeaders']): string[] {
  if (!Array.isArray(raw)) return [];
  return raw.map((part) => (typeof part === 'string' ? part : part.toString('latin1')));
}
