import { readdir, readFile } from 'node:fs/promises';

// Only Linux makes these figures of another process readable.

/** Clock ticks per second in `/proc`; the kernel's interface fixes it on all usual architectures. */
const TICKS_PER_SECOND = 100;

/** Reads the resident memory of a process in bytes, now (`VmRSS`) or at its peak (`VmHWM`); `null` where the system does not report it. */
export async function readMemory(pid: number, which: 'VmRSS' | 'VmHWM'): Promise<number | null> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kilobytes = new RegExp(`^${which}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1];
  return kilobytes === undefined ? null : Number(kilobytes) * 1024;
}

/** Counts how often the threads of a process have waited, and so were woken; `null` where the system does not report it. */
export async function countWakeUps(pid: number): Promise<number | null> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const statuses = await Promise.all(
    threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/status`, 'utf8').catch(() => '')),
  );
  if (statuses.length === 0) return null;
  return statuses
    .map((status) => Number(/^voluntary_ctxt_switches:\s+(\d+)$/m.exec(status)?.[1] ?? 0))
    .reduce((sum, count) => sum + count, 0);
}

/** Reads the processor time of the main thread in microseconds; `null` where the system does not report it. */
export async function readMainThreadTime(pid: number): Promise<number | null> {
  const stat = await readFile(`/proc/${pid}/task/${pid}/stat`, 'utf8').catch(() => null);
  if (stat === null) return null;
  // The name of the thread may contain spaces; the times are the 12th and 13th field behind it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[11]) + Number(fields[12])) * 1e6) / TICKS_PER_SECOND;
}
