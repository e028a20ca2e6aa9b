import type { LiveEvent } from '../../shared/status.ts';
import type { History } from '../history/history.ts';
import { Listeners } from '../listeners.ts';
import type { Proxy, RunningExchanges } from '../proxy/proxy.ts';

/** What changed, for whoever shows it. */
export type Changed = Extract<LiveEvent, { kind: 'changed' }>['what'];

export interface LiveOptions {
  readonly history: Pick<History, 'on'>;
  readonly proxy: Pick<Proxy, 'runningExchanges' | 'onRunning'>;
  readonly changes: Listeners<Changed>;
}

/** Four times a second is as often as eyes can follow. */
const PAUSE_MS = 250;

/** Tells listeners what happens. While there are none, nothing is done for it. */
export class Live {
  readonly #options: LiveOptions;
  readonly #listeners = new Listeners<LiveEvent>();
  /** Until it rings, nothing more is told of exchanges. */
  #pause: NodeJS.Timeout | null = null;
  /** Something happened that was not told yet. */
  #due = false;
  /** Exchanges written since it was last told; `null` when nothing was written or deleted. */
  #written: number | null = null;
  #seen = '';
  #stop: (() => void) | null = null;

  constructor(options: LiveOptions) {
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
        this.#tellSoon();
      }),
      proxy.onRunning(() => this.#tellSoon()),
      changes.add((what) => this.#listeners.tell({ kind: 'changed', what })),
    ];
    return () => {
      for (const stop of stops) stop();
      if (this.#pause !== null) clearTimeout(this.#pause);
      this.#pause = null;
      this.#due = false;
      this.#written = null;
      this.#seen = '';
    };
  }

  /** At once, or when the pause is over. */
  #tellSoon(): void {
    this.#due = true;
    if (this.#pause === null) this.#tell();
  }

  #tell(): void {
    this.#due = false;
    const { total } = this.#tellRunning();
    const written = this.#written;
    this.#written = null;
    if (written !== null) this.#listeners.tell({ kind: 'history', written });
    this.#pause = setTimeout(() => {
      this.#pause = null;
      // An exchange on its way goes from stage to stage without a word.
      if (this.#due || total > 0) this.#tell();
    }, PAUSE_MS).unref();
  }

  #tellRunning(): RunningExchanges {
    const running = this.#options.proxy.runningExchanges();
    const seen = JSON.stringify(running);
    if (seen !== this.#seen) {
      const { exchanges, total } = running;
      this.#listeners.tell({ kind: 'running', exchanges: [...exchanges], total });
    }
    this.#seen = seen;
    return running;
  }
}
