import type { UtilityProcess } from 'electron';
import { systemCode } from '../../gateway/lib/disk.ts';

/**
 * Ends a utility process at once, unless it has ended already. One that does not answer any more does not heed a mere request either,
 * unless it has not even begun.
 */
export function killUtility(utility: Pick<UtilityProcess, 'kill' | 'pid'>): void {
  if (utility.pid === undefined) {
    utility.kill();
    return;
  }
  try {
    process.kill(utility.pid, 'SIGKILL');
  } catch (error) {
    // Electron tells of an end a moment after it.
    if (systemCode(error) !== 'ESRCH') throw error;
  }
}
