import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '../../host.ts';
import { StoreError } from '../../store/store.ts';
import type { SaveUntilDone } from './job-actions.ts';

const PAUSE_MS = 1_000;
const MAX_MESSAGE_LENGTH = 2_000;

/**
 * Writes what must not be lost again and again until it is written, `ending` is aborted or the database is closed. What it was is in the log
 * then, too: it may name a task that is paid for.
 */
export function createSaveUntilDone(log: Log, ending: AbortSignal): SaveUntilDone {
  return async (said, work) => {
    for (let failures = 0; ; failures += 1) {
      const last = ending.aborted;
      try {
        await work();
        return;
      } catch (error) {
        if (failures === 0 || last) {
          const reason = String(error);
          log('error', 'What the service said to an order could not be written down yet.', {
            reason,
            said: said.slice(0, MAX_MESSAGE_LENGTH),
          });
        }
        if (last || (error instanceof StoreError && error.code === 'closed')) throw error;
      }
      // Ended early, it is tried once more.
      await pause(PAUSE_MS, undefined, { signal: ending }).catch(() => undefined);
    }
  };
}
