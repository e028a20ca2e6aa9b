import { app } from 'electron';
import { APP_LEAVES } from '../hosting/launcher-messages.ts';
import { tellLauncher } from './stop-requests.ts';

/** So long running exchanges may go on after a person quits, and when the session ends. Milliseconds. */
export const DRAIN_MS = { quit: 60_000, sessionEnd: 3_000 } as const;

/** The end of the app: its engine is closed in order before. */
export class Departure {
  readonly #close: (drainMs: number) => Promise<void>;
  readonly #onBegin: () => void;
  #begun = false;
  #isOver = false;
  #sessionEnds = false;

  constructor(close: (drainMs: number) => Promise<void>, onBegin: () => void) {
    this.#close = close;
    this.#onBegin = onBegin;
    app.on('before-quit', (event) => {
      if (this.#isOver) return;
      event.preventDefault();
      this.begin(DRAIN_MS.quit);
    });
  }

  get hasBegun(): boolean {
    return this.#begun;
  }

  /** The session ends, which more than one tells: each window, and the system itself. */
  endSession(): void {
    if (this.#sessionEnds) return;
    this.#sessionEnds = true;
    this.begin(DRAIN_MS.sessionEnd);
  }

  /** Closes the engine, then ends the app, or does what ends it. Called again, it hurries. */
  begin(drainMs: number, end: () => void = () => app.exit()): void {
    const closed = this.#close(this.#begun ? 0 : drainMs);
    if (this.#begun) return;
    this.#begun = true;
    // Before the other parts of the app are told: a fault in one of them must not keep the app from ending.
    void closed.finally(() => {
      this.#isOver = true;
      end();
    });
    tellLauncher(APP_LEAVES);
    this.#onBegin();
  }
}
