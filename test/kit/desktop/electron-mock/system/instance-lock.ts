import { mkdirSync, readFileSync, renameSync, rmSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A second start hands this to the first. */
export interface SecondStart {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly data: unknown;
}

interface Start {
  readonly mine: SecondStart;
  readonly onSecond: (second: SecondStart) => void;
}

/**
 * Makes this process the only one of a folder and returns the function that ends that; `null` when there is one already, which is
 * notified of this start.
 */
export function takeInstanceLock(folder: string, { mine, onSecond }: Start): (() => void) | null {
  const lock = join(folder, 'SingletonLock');
  const inbox = join(folder, 'SingletonInbox');
  mkdirSync(inbox, { recursive: true });
  if (!take(lock)) {
    const note = join(folder, `SingletonNote-${process.pid}`);
    writeFileSync(note, JSON.stringify(mine));
    renameSync(note, join(inbox, String(process.pid)));
    return null;
  }
  const watcher = watch(inbox, (_event, name) => {
    const second = name === null ? null : open(join(inbox, name));
    if (second !== null) onSecond(second);
  });
  watcher.unref();
  return () => {
    watcher.close();
    rmSync(lock, { force: true });
  };
}

function take(lock: string): boolean {
  try {
    writeFileSync(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch {
    // The lock of a process that was killed counts for nothing.
    if (isAlive(Number(readFileSync(lock, 'utf8')))) return false;
    writeFileSync(lock, String(process.pid));
    return true;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    // No such process.
    return false;
  }
}

function open(path: string): SecondStart | null {
  try {
    const text = readFileSync(path, 'utf8');
    rmSync(path);
    const { argv, cwd, data }: SecondStart = JSON.parse(text);
    return { argv, cwd, data };
  } catch {
    // The file was removed already: a folder reports a change more than once.
    return null;
  }
}
