import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '../../host.ts';

export interface AnswerSaverOptions {
  /** Saves the current state. */
  readonly save: () => Promise<void>;
  /** Returns the length of the saved text, in UTF-16 units. */
  readonly size: () => number;
  readonly log: Log;
}

const MIN_PAUSE_MS = 1000;
/** Every save writes everything: the longer it is, the less often it is saved. */
const UNITS_PER_MS = 500;
/** A full disk may have space later. */
const RETRY_MS = 1000;

/** Saves a growing answer: at once when required, otherwise about once a second, one save after the other. */
export class AnswerSaver {
  readonly #options: AnswerSaverOptions;
  #saving: Promise<void> = Promise.resolve();
  readonly #retryController = new AbortController();
  #timer: NodeJS.Timeout | null = null;

  constructor(options: AnswerSaverOptions) {
    this.#options = options;
  }

  /** Saves now. Never rejects: a failed save is logged and repeated with the next one. */
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
   * Resolves once the final state is saved, however long that takes; `onFirstTry` is called after the first try. No other save
   * may follow. Rejects when saving failed and retries were stopped.
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

  /** Stops retrying: a save that fails now is given up. */
  stopRetrying(): void {
    this.#retryController.abort();
  }

  #logError(error: unknown): void {
    const reason = String(error);
    this.#options.log('warn', 'An answer could not be saved for now.', { reason });
  }

  #clear(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
