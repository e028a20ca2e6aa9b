import { readFile } from 'node:fs/promises';

/**
 * When a process began, as a text that no other process of this machine ever has: the start of the machine and the ticks since
 * then (proc(5): field 22 of `/proc/PID/stat`). It does not move with the clock. `null` where the system does not tell.
 */
export async function birthOf(pid: number): Promise<string | null> {
  try {
    const [boot, stat] = await Promise.all([
      readFile('/proc/sys/kernel/random/boot_id', 'utf8'),
      readFile(`/proc/${pid}/stat`, 'utf8'),
    ]);
    const ticks = readStartTicks(stat);
    return ticks === null ? null : `${boot.trim()} ${ticks}`;
  } catch {
    // Another system than Linux, a process that ended, or one that is hidden from us.
    return null;
  }
}

/** Field 22 of `/proc/PID/stat`. The second field is the program's name in brackets and may itself hold spaces and brackets. */
export function readStartTicks(stat: string): string | null {
  const ticks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  return ticks !== undefined && /^\d+$/u.test(ticks) ? ticks : null;
}
