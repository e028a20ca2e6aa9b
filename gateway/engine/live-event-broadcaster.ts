import type { LiveEvent } from '../../shared/status.ts';
import type { History } from '../history/history.ts';
import { Emitter } from '../lib/emitter.ts';
import { Throttle } from '../lib/throttle.ts';
import type { Proxy, RunningExchanges } from '../proxy/proxy.ts';

/** The topic of a `changed` event. */
export type ChangedTopic = Extract<LiveEvent, { kind: 'changed' }>['topic'];

export interface LiveEventsOptions {
  readonly history: Pick<History, 'on'>;
  readonly proxy: Pick<Proxy, 'runningExchanges' | 'onRunning'>;
  readonly changes: Emitter<ChangedTopic>;
}

/** Broadcasts live events. While nobody listens, nothing is computed. */
export class LiveEventBroadcaster {
  readonly #options: LiveEventsOptions;
  readonly #listeners = new Emitter<LiveEvent>();
  readonly #throttle = new Throttle(() => this.#emitAll());
  /** Exchanges written since the last event; `null` when nothing was written or deleted. */
  #written: number | null = null;
  /** The running exchanges of the last event, as JSON. */
  #lastRunning = '';
  #stop: (() => void) | null = null;

  constructor(options: LiveEventsOptions) {
    this.#options = options;
  }

  on(listener: (event: LiveEvent) => void): () => void {
    const stop = this.#listeners.on(listener);
    if (this.#stop === null) {
      this.#stop = this.#start();
      // The listener knows the exchanges in flight; only their later stages are events.
      const running = this.#options.proxy.runningExchanges();
      this.#lastRunning = JSON.stringify(running);
      if (running.total > 0) this.#throttle.trigger();
    }
    return () => {
      stop();
      if (this.#listeners.size === 0) this.close();
    };
  }

  close(): void {
    this.#stop?.();
    this.#stop = null;
  }

  #start(): () => void {
    const { history, proxy, changes } = this.#options;
    const stops = [
      history.on((written) => {
        this.#written = (this.#written ?? 0) + written;
        this.#throttle.trigger();
      }),
      proxy.onRunning(() => this.#throttle.trigger()),
      changes.on((topic) => {
        // Who opens a request that waits finds it among those in flight, and not in the history.
        if (topic === 'holds') this.#emitRunning();
        this.#listeners.emit({ kind: 'changed', topic });
      }),
    ];
    return () => {
      for (const stop of stops) stop();
      this.#throttle.close();
      this.#written = null;
      this.#lastRunning = '';
    };
  }

  #emitAll(): void {
    const { total } = this.#emitRunning();
    const written = this.#written;
    this.#written = null;
    if (written !== null) this.#listeners.emit({ kind: 'history', written });
    // An exchange in flight enters its next stage without an event of its own.
    if (total > 0 && this.#stop !== null) this.#throttle.trigger();
  }

  #emitRunning(): RunningExchanges {
    const running = this.#options.proxy.runningExchanges();
    const json = JSON.stringify(running);
    if (json !== this.#lastRunning) {
      const { exchanges, total } = running;
      this.#listeners.emit({ kind: 'running', exchanges: [...exchanges], total });
    }
    this.#lastRunning = json;
    return running;
  }
}
