import { setTimeout as pause } from 'node:timers/promises';
import { listenForStopSignals } from '../hosting/stop-signals.ts';
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

/** A second SIGINT or SIGTERM hurries, a third ends the process on the spot. `atEnd` gives back what must not outlive the process. */
export function listenForStop(terminal: Terminal, atEnd: () => void): StopRequests {
  const stop = new AbortController();
  let cut: (() => Promise<void>) | null = null;
  const end = () => {
    atEnd();
    process.exit(1);
  };
  listenForStopSignals((times) => {
    if (times === 1) {
      stop.abort();
    } else if (times === 2) {
      process.exitCode = 1;
      terminal.complain('Stopping at once.');
      void Promise.race([Promise.allSettled([cut?.()]), pause(HURRY_MS)]).then(end);
    } else {
      end();
    }
  });
  return { stop: stop.signal, onHurry: (work) => (cut = work) };
}
