import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** Resources of a process and its data folder at one moment. */
export interface Figures {
  /** Resident memory in MiB. */
  readonly memory: number;
  /** Open files and sockets. */
  readonly handles: number;
  /** Databases with their logs, in MiB. */
  readonly database: number;
}

const MIB = 1024 * 1024;

/** Reads what Linux reports about a process, and the size of the databases. */
export async function readFigures(pid: number, dataDir: string): Promise<Figures> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const resident = Number(/^VmRSS:\s+(\d+) kB$/mu.exec(status)?.[1] ?? Number.NaN);
  const handles = await readdir(`/proc/${pid}/fd`);
  const files = (await readdir(dataDir)).filter((name) => /\.db(?:-wal)?$/u.test(name));
  const sizes = await Promise.all(
    files.map(async (name) => (await stat(join(dataDir, name)).catch(() => null))?.size ?? 0),
  );
  return {
    memory: resident / 1024,
    handles: handles.length,
    database: sizes.reduce((sum, size) => sum + size, 0) / MIB,
  };
}
