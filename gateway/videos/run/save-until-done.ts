import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '../../host.ts';
import { StoreError } from '../../store/store.ts';
import type { SaveUntilDone } from './job-actions.ts';

const PAUSE_MS = 1_000;
const MAX_MESSAGE_LENGTH = 2_000;

/**
 * Creates a function that repeats a write until it succeeds, `ending` is aborted, or the database is closed. Its payload is logged at the
 * first failure, because it may name a task that is paid for.
 */
export function createSaveUntilDone(log: Log, ending: AbortSignal): SaveUntilDone {
  return async (payload, work) => {
    for (let failures = 0; ; failures += 1) {
      const last = ending.aborted;
      try {
        await work();
        return;
      } catch (error) {
        if (failures === 0 || last) {
          const reason = String(error);
          log('error', 'The answer to an order could not be saved yet.', {
            reason,
            answer: payload.slice(0, MAX_MESSAGE_LENGTH),
          });
        }
        if (last || (error instanceof StoreError && error.code === 'closed')) throw error;
      }
      // When the pause ends early, the write is tried once more.
      await pause(PAUSE_MS, undefined, { signal: ending }).catch(() => undefined);
    }
  };
}
