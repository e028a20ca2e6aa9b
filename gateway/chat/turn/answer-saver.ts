import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '../../host.ts';

export interface AnswerSaverOptions {
  /** Keeps everything as it is at that moment. */
  readonly save: () => Promise<void>;
  /** Of what is kept, in UTF-16 units. */
  readonly size: () => number;
  readonly log: Log;
}

const MIN_PAUSE_MS = 1000;
/** Each time all of it is written: the longer it is, the less often. */
const UNITS_PER_MS = 500;
/** A disk that is full now may have room in a while. */
const RETRY_MS = 1000;

/** Keeps what grows: at once when that matters, otherwise about once a second, one time after the other. */
export class AnswerSaver {
  readonly #options: AnswerSaverOptions;
  #saving: Promise<void> = Promise.resolve();
  readonly #retryController = new AbortController();
  #timer: NodeJS.Timeout | null = null;

  constructor(options: AnswerSaverOptions) {
    this.#options = options;
  }

  /** Never rejects: what could not be kept now is kept the next time, and the log is told. */
  saveNow(): Promise<void> {
    this.#clear();
    const { save } = this.#options;
    this.#saving = this.#saving.then(save).catch((error: unknown) => this.#logError(error));
    return this.#saving;
  }

  saveSoon(): void {
    const wait = Math.max(MIN_PAUSE_MS, this.#options.size() / UNITS_PER_MS);
    this.#timer ??= setTimeout(() => void this.saveNow(), wait).unref();
  }

  /**
   * Resolves once it is kept, however long that takes; `tried` is called after the first try. Nothing may follow. Rejects when it
   * could not be kept and there is no time.
   */
  async saveLast(onFirstTry: () => void): Promise<void> {
    this.#clear();
    await this.#saving;
    const { signal } = this.#retryController;
    for (let tries = 0; ; tries += 1) {
      try {
        return await this.#options.save();
      } catch (error) {
        if (signal.aborted) throw error;
        if (tries === 0) this.#logError(error);
      } finally {
        if (tries === 0) onFirstTry();
      }
      await pause(RETRY_MS, undefined, { ref: false, signal }).catch(() => undefined);
    }
  }

  /** What cannot be kept now will not be. */
  stopRetrying(): void {
    this.#retryController.abort();
  }

  #logError(error: unknown): void {
    const reason = String(error);
    this.#options.log('warn', 'An answer could not be kept for now.', { reason });
  }

  #clear(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
