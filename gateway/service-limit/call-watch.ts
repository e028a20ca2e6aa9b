import type { Duplex } from 'node:stream';
import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import type { Ticket } from './call-scheduler.ts';

/** The events of calls, each with its ticket. `onEnd` is the last one of a call. */
export interface CallEvents {
  /** The call is sent on an open connection. */
  onConnected(): void;
  /** The head of the answer came. */
  onAnswer(ticket: Ticket, status: number, headers: IncomingHttpHeaders): void;
  /** The call ended. */
  onEnd(ticket: Ticket, end: CallEnd): void;
}

/** The end of a call. */
export interface CallEnd {
  /** Whether it was sent on an open connection. */
  readonly isConnected: boolean;
  /** Why the answer is missing or incomplete; `null` when it is complete. */
  readonly error: Error | null;
}

/** Passes undici's events of a request to its handler, and reports those that matter for a limit. */
export class CallWatch implements Dispatcher.DispatchHandler {
  readonly #handler: Dispatcher.DispatchHandler;
  readonly #events: CallEvents;
  readonly #ticket: Ticket;
  #isConnected = false;
  #hasEnded = false;

  constructor(handler: Dispatcher.DispatchHandler, events: CallEvents, ticket: Ticket) {
    this.#handler = handler;
    this.#events = events;
    this.#ticket = ticket;
  }

  onRequestStart(controller: Dispatcher.DispatchController, context: unknown): void {
    this.#isConnected = true;
    this.#events.onConnected();
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
    if (status >= 200) this.#events.onAnswer(this.#ticket, status, headers);
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
    this.#events.onEnd(this.#ticket, { isConnected: this.#isConnected, error });
  }
}
