import type { Duplex } from 'node:stream';
import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';

/** The events of a call. `ended` is the last one. */
export interface CallEvents {
  /** The call is sent on an open connection. */
  connected(): void;
  /** The head of the answer came. */
  answered(status: number, headers: IncomingHttpHeaders): void;
  /** The call ended; `error` says why the answer is missing or incomplete. */
  ended(error: Error | null): void;
}

/** Passes undici's events of a request to its handler, and reports those that matter for a limit. */
export class CallWatch implements Dispatcher.DispatchHandler {
  readonly #handler: Dispatcher.DispatchHandler;
  readonly #events: CallEvents;
  #hasEnded = false;

  constructor(handler: Dispatcher.DispatchHandler, events: CallEvents) {
    this.#handler = handler;
    this.#events = events;
  }

  onRequestStart(controller: Dispatcher.DispatchController, context: unknown): void {
    this.#events.connected();
    this.#handler.onRequestStart?.(controller, context);
  }

  onRequestUpgrade(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
    socket: Duplex,
  ): void {
    this.#end(null);
    this.#handler.onRequestUpgrade?.(controller, status, headers, socket);
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
    statusText?: string,
  ): void {
    if (status >= 200) this.#events.answered(status, headers);
    this.#handler.onResponseStart?.(controller, status, headers, statusText);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#handler.onResponseData?.(controller, chunk);
  }

  onResponseEnd(controller: Dispatcher.DispatchController, trailers: IncomingHttpHeaders): void {
    this.#end(null);
    this.#handler.onResponseEnd?.(controller, trailers);
  }

  onResponseError(controller: Dispatcher.DispatchController, error: Error): void {
    this.#end(error);
    this.#handler.onResponseError?.(controller, error);
  }
  /** undici reports an error after the end, too, when the handler throws at the end. */
  #end(error: Error | null): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#events.ended(error);
  }
}
