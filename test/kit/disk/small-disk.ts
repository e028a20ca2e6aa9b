import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A separate file system for a test. */
export interface SmallDisk extends Disposable {
  readonly path: string;
  /** Makes the disk read-only. */
  makeReadOnly(): void;
}

/** Mounts a disk of this many KiB in memory; returns `null` where mounting is not allowed. */
function mountDisk(kibibytes: number): SmallDisk | null {
  const path = mkdtempSync(join(tmpdir(), 'gatehouse-disk-'));
  const remove = () => rmdirSync(path);
  if (
    process.platform !== 'linux' ||
    !run('-t', 'tmpfs', '-o', `size=${kibibytes}k`, 'none', path)
  ) {
    remove();
    return null;
  }
  return {
    path,
    makeReadOnly: () => void run('-o', 'remount,ro', path),
    [Symbol.dispose]: () => {
      spawnSync('umount', ['--lazy', path]);
      remove();
    },
  };
}

function run(...parameters: string[]): boolean {
  return spawnSync('mount', parameters).status === 0;
}

export function openSmallDisk(kibibytes: number): SmallDisk {
  const disk = mountDisk(kibibytes);
  if (disk === null) throw new Error('No disk can be mounted here.');
  return disk;
}

/** Returns whether disks can be mounted here: only by root, on Linux. */
export function canMount(): boolean {
  const disk = mountDisk(64);
  disk?.[Symbol.dispose]();
  return disk !== null;
}
