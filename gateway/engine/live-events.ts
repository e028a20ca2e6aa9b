import type { LiveEvent } from '../../shared/status.ts';
import type { History } from '../history/history.ts';
import { Emitter } from '../lib/emitter.ts';
import type { Proxy, RunningExchanges } from '../proxy/proxy.ts';

/** What changed, for whoever shows it. */
export type ChangedTopic = Extract<LiveEvent, { kind: 'changed' }>['what'];

export interface LiveEventsOptions {
  readonly history: Pick<History, 'on'>;
  readonly proxy: Pick<Proxy, 'runningExchanges' | 'onRunning'>;
  readonly changes: Emitter<ChangedTopic>;
}

/** Four times a second is as often as eyes can follow. */
const INTERVAL_MS = 250;

/** Tells listeners what happens. While there are none, nothing is done for it. */
export class LiveEventBroadcaster {
  readonly #options: LiveEventsOptions;
  readonly #listeners = new Emitter<LiveEvent>();
  /** Until it rings, nothing more is told of exchanges. */
  #timer: NodeJS.Timeout | null = null;
  /** Something happened that was not told yet. */
  #due = false;
  /** Exchanges written since it was last told; `null` when nothing was written or deleted. */
  #written: number | null = null;
  #seen = '';
  #stop: (() => void) | null = null;

  constructor(options: LiveEventsOptions) {
    this.#options = options;
  }

  on(listener: (event: LiveEvent) => void): () => void {
    const stop = this.#listeners.add(listener);
    this.#stop ??= this.#start();
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
        this.#emitSoon();
      }),
      proxy.onRunning(() => this.#emitSoon()),
      changes.add((what) => this.#listeners.emit({ kind: 'changed', what })),
    ];
    return () => {
      for (const stop of stops) stop();
      if (this.#timer !== null) clearTimeout(this.#timer);
      this.#timer = null;
      this.#due = false;
      this.#written = null;
      this.#seen = '';
    };
  }

  /** At once, or when the pause is over. */
  #emitSoon(): void {
    this.#due = true;
    if (this.#timer === null) this.#emitAll();
  }

  #emitAll(): void {
    this.#due = false;
    const { total } = this.#emitRunning();
    const written = this.#written;
    this.#written = null;
    if (written !== null) this.#listeners.emit({ kind: 'history', written });
    this.#timer = setTimeout(() => {
      this.#timer = null;
      // An exchange on its way goes from stage to stage without a word.
      if (this.#due || total > 0) this.#emitAll();
    }, INTERVAL_MS).unref();
  }

  #emitRunning(): RunningExchanges {
    const running = this.#options.proxy.runningExchanges();
    const seen = JSON.stringify(running);
    if (seen !== this.#seen) {
      const { exchanges, total } = running;
      this.#listeners.emit({ kind: 'running', exchanges: [...exchanges], total });
    }
    this.#seen = seen;
    return running;
  }
}
