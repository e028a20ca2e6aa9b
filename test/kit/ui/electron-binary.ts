import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const PACKAGE = join(import.meta.dirname, '..', '..', '..', 'node_modules', 'electron');

/** The warning where the tests in Electron itself cannot run. */
export const NOT_RUN = 'NOT RUN: no Electron binary here. Set ELECTRON_BIN to one.';

/** A real Electron: `ELECTRON_BIN`, or the one that its package has downloaded. `null`: there is none. */
export function findElectron(environment: NodeJS.ProcessEnv): string | null {
  const named = environment['ELECTRON_BIN'];
  if (named !== undefined && named !== '') return named;
  const note = join(PACKAGE, 'path.txt');
  if (!existsSync(note)) return null;
  const program = join(PACKAGE, 'dist', readFileSync(note, 'utf8'));
  return existsSync(program) ? program : null;
}
