import { join } from 'node:path';
import { buildDesktop } from '../../../build/desktop.ts';
import { isPageOld } from '../../../build/freshness.ts';
import { buildPage } from '../../../build/page-bundle.ts';
import { buildProgram } from '../../../build/program-bundle.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const BUILT = 'test-cli';

/** The built command, which starts in half the time; it is built before any test runs. */
export const PROGRAM = join(ROOT, 'out', BUILT, 'main.js');
/** The command as `npm start` runs it. */
export const SOURCE = join(ROOT, 'cli', 'main.ts');
/** Both commands, each with a label. */
export const PROGRAMS = [
  { how: 'built', program: PROGRAM },
  { how: 'from source', program: SOURCE },
] as const;

/** Builds the command. Both test runners call this once, before the first test. */
// oxlint-disable-next-line import/no-default-export -- both look for it there
export default async function prepare(): Promise<void> {
  await Promise.all([buildProgram(BUILT, 'readable'), buildDesktop()]);
  if (await isPageOld()) await buildPage();
}
