import { setTimeout as pause } from 'node:timers/promises';
import { listenForStopSignals } from '../../host/process/stop-signals.ts';
import type { Terminal } from '../output/terminal.ts';

/** Requests to stop this process. */
export interface StopSignals {
  /** Is aborted at the first request. */
  readonly signal: AbortSignal;
  /** Makes the first request, without a signal. */
  readonly stop: () => void;
  /** Sets the action at the second request, before the process exits with 1. It gets at most 2 s. */
  onSecondSignal(this: void, cut: () => Promise<void>): void;
}

/** Timeout for aborting and recording running work after the second request. */
const HURRY_TIMEOUT_MS = 2_000;

/**
 * Listens for signals: a second SIGINT or SIGTERM hurries, a third ends the process immediately. `atEnd` releases resources that must
 * not outlive the process.
 */
export function listenForSignals(terminal: Terminal, atEnd: () => void): StopSignals {
  const stop = new AbortController();
  let cut: (() => Promise<void>) | null = null;
  let isHurried = false;
  const end = () => {
    atEnd();
    process.exit(1);
  };
  listenForStopSignals(() => {
    if (!stop.signal.aborted) {
      stop.abort();
    } else if (!isHurried) {
      isHurried = true;
      process.exitCode = 1;
      terminal.printError('Stopping at once.');
      void Promise.race([Promise.allSettled([cut?.()]), pause(HURRY_TIMEOUT_MS)]).then(end);
    } else {
      end();
    }
  });
  return { signal: stop.signal, stop: () => stop.abort(), onSecondSignal: (work) => (cut = work) };
}
