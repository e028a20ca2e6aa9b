import { ORPCError } from '@orpc/client';
import type { LiveEvent } from '../../shared/status.ts';
import type { Client } from './client.ts';
import { followStream, type StreamFollower } from './follow-stream.ts';

/** State of the event stream. `refused`: the engine runs, but does not accept the session of this window. */
export type LiveState = 'connecting' | 'live' | 'gone' | 'refused';

/** The exchanges in progress as last reported. */
export type InFlightExchanges = Pick<
  Extract<LiveEvent, { kind: 'running' }>,
  'exchanges' | 'total'
>;

const NONE_IN_FLIGHT: InFlightExchanges = { exchanges: [], total: 0 };

/** Follows the engine's events while the window is open and visible. A page that is shown again refreshes. */
export class LiveConnection {
  readonly #client: Client;
  readonly #events = new Set<(event: LiveEvent) => void>();
  readonly #states = new Set<() => void>();
  readonly #follower: StreamFollower;
  #state: LiveState = 'connecting';
  #inFlight = NONE_IN_FLIGHT;

  constructor(client: Client) {
    this.#client = client;
    this.#follower = followStream((signal) => this.#read(signal));
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
  readonly retryNow = (): void => this.#follower.retryNow();

  close(): void {
    this.#follower.close();
  }

  async #read(signal: AbortSignal): Promise<void> {
    try {
      for await (const event of await this.#client.status.events(undefined, { signal })) {
        this.#setState('live');
        if (event.kind === 'hello') this.#inFlight = NONE_IN_FLIGHT;
        if (event.kind === 'running') this.#inFlight = event;
        for (const listener of this.#events) listener(event);
      }
      if (!signal.aborted) this.#setState('gone');
    } catch (error) {
      if (error instanceof ORPCError && error.status === 401) this.#refuse();
      else if (!signal.aborted) this.#setState('gone');
    }
  }

  #refuse(): void {
    this.#setState('refused');
    this.close();
  }

  #setState(next: LiveState): void {
    if (this.#state === next) return;
    this.#state = next;
    if (next !== 'live') this.#inFlight = NONE_IN_FLIGHT;
    for (const listener of this.#states) listener();
  }
}
