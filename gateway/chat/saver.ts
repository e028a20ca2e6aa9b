import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '../host.ts';

export interface SaverOptions {
  /** Keeps everything as it is at that moment. */
  readonly save: () => Promise<void>;
  /** Of what is kept, in UTF-16 units. */
  readonly size: () => number;
  readonly log: Log;
}

const USUAL_PAUSE_MS = 1000;
/** Each time all of it is written: the longer it is, the less often. */
const UNITS_PER_MS = 500;
/** A disk that is full now may have room in a while. */
const AGAIN_MS = 1000;

/** Keeps what grows: at once when that matters, otherwise about once a second, one time after the other. */
export class Saver {
  readonly #options: SaverOptions;
  #saving: Promise<void> = Promise.resolve();
  readonly #hurry = new AbortController();
  #timer: NodeJS.Timeout | null = null;

  constructor(options: SaverOptions) {
    this.#options = options;
  }

  /** Never rejects: what could not be kept now is kept the next time, and the log is told. */
  now(): Promise<void> {
    this.#clear();
    const { save } = this.#options;
    this.#saving = this.#saving.then(save).catch((error: unknown) => this.#note(error));
    return this.#saving;
  }

  soon(): void {
    const wait = Math.max(USUAL_PAUSE_MS, this.#options.size() / UNITS_PER_MS);
    this.#timer ??= setTimeout(() => void this.now(), wait).unref();
  }

  /**
   * Resolves once it is kept, however long that takes; `tried` is called after the first try. Nothing may follow. Rejects when it
   * could not be kept and there is no time.
   */
  async last(tried: () => void): Promise<void> {
    this.#clear();
    await this.#saving;
    const { signal } = this.#hurry;
    for (let tries = 0; ; tries += 1) {
      try {
        return await this.#options.save();
      } catch (error) {
        if (signal.aborted) throw error;
        if (tries === 0) this.#note(error);
      } finally {
        if (tries === 0) tried();
      }
      await pause(AGAIN_MS, undefined, { ref: false, signal }).catch(() => undefined);
    }
  }

  /** What cannot be kept now will not be. */
  hurry(): void {
    this.#hurry.abort();
  }

  #note(error: unknown): void {
    const reason = String(error);
    this.#options.log('warn', 'An answer could not be kept for now.', { reason });
  }

  #clear(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
