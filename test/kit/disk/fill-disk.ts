import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** Fills the disk with a file. Returns a function that removes the file. */
export function fillDisk(folder: string): () => void {
  const file = join(folder, 'filler');
  const filler = openSync(file, 'w');
  try {
    for (const bytes of [65_536, 4_096, 1]) writeUntilFull(filler, Buffer.alloc(bytes));
  } finally {
    closeSync(filler);
  }
  return () => rmSync(file);
}

function writeUntilFull(filler: number, bytes: Buffer): void {
  for (;;) {
    try {
      writeSync(filler, bytes);
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOSPC') return;
      throw error;
    }
  }
}
