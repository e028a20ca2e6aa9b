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

/** Keeps what grows: at once when that matters, otherwise about once a second, one time after the other. */
export class Saver {
  readonly #options: SaverOptions;
  #saving: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | null = null;

  constructor(options: SaverOptions) {
    this.#options = options;
  }

  /** Never rejects: what could not be kept now is kept the next time, and the log is told. */
  now(): Promise<void> {
    this.#clear();
    const { save, log } = this.#options;
    this.#saving = this.#saving.then(save).catch((error: unknown) => {
      log('warn', 'An answer could not be kept for now.', { reason: String(error) });
    });
    return this.#saving;
  }

  soon(): void {
    const pause = Math.max(USUAL_PAUSE_MS, this.#options.size() / UNITS_PER_MS);
    this.#timer ??= setTimeout(() => void this.now(), pause).unref();
  }

  /** Rejects when it could not be kept. Nothing may follow. */
  async last(): Promise<void> {
    this.#clear();
    await this.#saving;
    await this.#options.save();
  }

  #clear(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }
}
