import { setTimeout as pause } from 'node:timers/promises';
import type { Terminal } from './terminal.ts';

/** What asks this process to stop. */
export interface StopRequests {
  /** Aborts at the first request. */
  readonly stop: AbortSignal;
  /** Sets what is done at the second request, before the process ends with 1. It gets at most 2 s. */
  onHurry(this: void, cut: () => Promise<void>): void;
}

/** How long it may take to cut and record what runs after the second request. */
const HURRY_MS = 2_000;
/** npm passes a Ctrl-C on that the terminal has already sent to everybody: two signals this close are one. */
const ECHO_MS = 200;

/**
 * A second SIGINT or SIGTERM hurries, a third ends the process on the spot. A second SIGHUP says nothing new: a closed terminal
 * sends one, and its shell sends it on. `atEnd` gives back what must not outlive the process.
 */
export function listenForStop(terminal: Terminal, atEnd: () => void): StopRequests {
  const stop = new AbortController();
  const hurry = new AbortController();
  let cut: (() => Promise<void>) | null = null;
  let askedAt = 0;
  const end = () => {
    atEnd();
    process.exit(1);
  };
  const ask = (signal: NodeJS.Signals) => {
    const echo = performance.now() - askedAt < ECHO_MS;
    if (stop.signal.aborted && (echo || signal === 'SIGHUP')) {
      return;
    }
    askedAt = performance.now();
    if (!stop.signal.aborted) {
      stop.abort();
    } else if (!hurry.signal.aborted) {
      hurry.abort();
      process.exitCode = 1;
      terminal.complain('Stopping at once.');
      void Promise.race([Promise.allSettled([cut?.()]), pause(HURRY_MS)]).then(end);
    } else {
      end();
    }
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, ask);
  }
  return { stop: stop.signal, onHurry: (work) => (cut = work) };
}
