import { openSync, writeSync } from 'node:fs';
import type { Entry } from './plan.ts';

/** Writes entries that are in the file when it returns, whatever happens next. */
export function openJournal(file: string): (entry: Entry) => void {
  const descriptor = openSync(file, 'a');
  return (entry) => void writeSync(descriptor, `${JSON.stringify(entry)}\n`);
}
