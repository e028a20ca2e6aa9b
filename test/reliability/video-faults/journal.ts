import { openSync, writeSync } from 'node:fs';
import type { Entry } from './plan.ts';

/** Appends entries that are in the file when the call returns, even if the process is killed next. */
export function openJournal(file: string): (entry: Entry) => void {
  const descriptor = openSync(file, 'a');
  return (entry) => void writeSync(descriptor, `${JSON.stringify(entry)}\n`);
}
