import type { UtilityProcess } from 'electron';
import { systemCode } from '../../gateway/lib/disk.ts';

/** Kills a utility process unless it has ended. One that does not respond ignores a request as well, unless it has not started yet. */
export function killUtility(utility: Pick<UtilityProcess, 'kill' | 'pid'>): void {
  if (utility.pid === undefined) {
    utility.kill();
    return;
  }
  try {
    process.kill(utility.pid, 'SIGKILL');
  } catch (error) {
    // Electron reports the end of a process a moment late.
    if (systemCode(error) !== 'ESRCH') throw error;
  }
}
