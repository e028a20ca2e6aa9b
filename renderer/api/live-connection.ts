import { ORPCError } from '@orpc/client';
import type { LiveEvent } from '../../shared/status.ts';
import type { Client } from './client.ts';
import { whenVisible, abortWhenHidden } from './page-visibility.ts';

/** State of the event stream. `refused`: the engine runs, but does not accept the session of this window. */
export type LiveState = 'connecting' | 'live' | 'gone' | 'refused';

/** The exchanges in progress as last reported. */
export type InFlightExchanges = Pick<
  Extract<LiveEvent, { kind: 'running' }>,
  'exchanges' | 'total'
>;

const NONE_IN_FLIGHT: InFlightExchanges = { exchanges: [], total: 0 };
const FIRST_PAUSE_MS = 400;
const MAX_PAUSE_MS = 5_000;

/**
 * Follows the engine's events while the window is open and reconnects by itself. A hidden page disconnects: it needs no
 * updates, refreshes when it is shown, and a browser allows only six connections to one origin.
 */
export class LiveConnection {
  readonly #client: Client;
  readonly #events = new Set<(event: LiveEvent) => void>();
  readonly #states = new Set<() => void>();
  readonly #closing = new AbortController();
  #state: LiveState = 'connecting';
  #inFlight = NONE_IN_FLIGHT;
  #wake: () => void = () => undefined;

  constructor(client: Client) {
    this.#client = client;
    void this.#follow();
  }

  readonly state = (): LiveState => this.#state;

  /** Calls the listener whenever the state has changed. Returns a function that unsubscribes. */
  readonly onState = (listener: () => void): (() => void) => {
    this.#states.add(listener);
    return () => this.#states.delete(listener);
  };

  /** The exchanges in progress; none while disconnected. The array changes only with an event. */
  readonly inFlight = (): InFlightExchanges => this.#inFlight;

  /** Calls the listener with every event. Returns a function that unsubscribes. */
  on(listener: (event: LiveEvent) => void): () => void {
    this.#events.add(listener);
    return () => this.#events.delete(listener);
  }

  /** Reconnects at once. */
  readonly retryNow = (): void => this.#wake();

  close(): void {
    this.#closing.abort();
    this.#wake();
  }

  async #follow(): Promise<void> {
    const { signal } = this.#closing;
    let pause = FIRST_PAUSE_MS;
    while (!signal.aborted && this.#state !== 'refused') {
      await whenVisible(signal);
      const startedAt = performance.now();
      await this.#listen();
      pause = performance.now() - startedAt > MAX_PAUSE_MS ? FIRST_PAUSE_MS : pause * 1.6;
      if (this.#state === 'gone') await this.#wait(Math.min(pause, MAX_PAUSE_MS));
    }
  }

  async #listen(): Promise<void> {
    const hiding = abortWhenHidden();
    try {
      const signal = AbortSignal.any([this.#closing.signal, hiding.signal]);
      for await (const event of await this.#client.status.events(undefined, { signal })) {
        this.#setState('live');
        if (event.kind === 'hello') this.#inFlight = NONE_IN_FLIGHT;
        if (event.kind === 'running') this.#inFlight = event;
        for (const listener of this.#events) listener(event);
      }
      if (!hiding.signal.aborted) this.#setState('gone');
    } catch (error) {
      if (error instanceof ORPCError && error.status === 401) this.#setState('refused');
      else if (!hiding.signal.aborted) this.#setState('gone');
    } finally {
      hiding.release();
    }
  }

  #setState(next: LiveState): void {
    if (this.#state === next) return;
    this.#state = next;
    if (next !== 'live') this.#inFlight = NONE_IN_FLIGHT;
    for (const listener of this.#states) listener();
  }

  #wait(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
