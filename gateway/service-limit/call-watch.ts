import type { Duplex } from 'node:stream';
import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';

/** What is heard of one call. After `ended` comes nothing more. */
export interface CallEvents {
  /** It goes out on a connection that stands. */
  connected(): void;
  /** The head of its answer. */
  answered(status: number, headers: IncomingHttpHeaders): void;
  /** `error`: why it has no answer, or not the whole of one. */
  ended(error: Error | null): void;
}

/** Hands undici's events for one request on to its handler, and tells of those that matter for a limit. */
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
  /** undici tells of an error after the end as well, when the handler throws at the end. */
  #end(error: Error | null): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#events.ended(error);
  }
}
