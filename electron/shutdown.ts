import { app } from 'electron';
import { APP_LEAVES } from '../host/process/launcher-messages.ts';
import { notifyLauncher } from './stop-requests.ts';

/** Time for running exchanges after a person quits, and when the session ends. In milliseconds. */
export const DRAIN_TIMEOUT_MS = { quit: 60_000, sessionEnd: 3_000 } as const;

/** Ends the app after its engine has been closed in order. */
export class AppShutdown {
  readonly #close: (drainMs: number) => Promise<void>;
  readonly #onStart: () => void;
  #hasStarted = false;
  #isOver = false;
  #sessionEnds = false;

  constructor(close: (drainMs: number) => Promise<void>, onStart: () => void) {
    this.#close = close;
    this.#onStart = onStart;
    app.on('before-quit', (event) => {
      if (this.#isOver) return;
      event.preventDefault();
      this.start(DRAIN_TIMEOUT_MS.quit);
    });
  }

  get isStarted(): boolean {
    return this.#hasStarted;
  }

  /** Handles the end of the session, which each window and the system report. */
  endSession(): void {
    if (this.#sessionEnds) return;
    this.#sessionEnds = true;
    this.start(DRAIN_TIMEOUT_MS.sessionEnd);
  }

  /** Closes the engine, then ends the app or calls the given function, which ends it. A second call hurries. */
  start(drainMs: number, end: () => void = () => app.exit()): void {
    const closed = this.#close(this.#hasStarted ? 0 : drainMs);
    if (this.#hasStarted) return;
    this.#hasStarted = true;
    // This comes before other parts are notified: a fault in one of them must not keep the app from ending.
    void closed.finally(() => {
      this.#isOver = true;
      end();
    });
    notifyLauncher(APP_LEAVES);
    this.#onStart();
  }
}
