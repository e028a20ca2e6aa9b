import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startProgram } from '../../host/process/child-process.ts';
import electronPackage from 'electron/package.json' with { type: 'json' };

const PACKAGE = join(import.meta.dirname, '..', '..', 'node_modules', 'electron');

/** The path of Electron's program, or the reason why there is none. */
export type ElectronFound =
  | { readonly program: string }
  | { readonly program: null; readonly reason: string };

/** Finds Electron's program: that of ELECTRON_OVERRIDE_DIST_PATH, else that of its package, which is downloaded once. */
export async function getElectron(environment: NodeJS.ProcessEnv): Promise<ElectronFound> {
  const folder = environment['ELECTRON_OVERRIDE_DIST_PATH'] ?? '';
  if (folder !== '') {
    const program = await findProgramInFolder(folder, 'electron');
    const reason = `there is no Electron in ELECTRON_OVERRIDE_DIST_PATH, ${folder}.`;
    return program === null ? { program, reason } : { program };
  }
  const program =
    (await findProgramInFolder(join(PACKAGE, 'dist'))) ?? (await fetchElectron(environment));
  const reason =
    'Electron could not be fetched. The next start tries again; `npm start -- --headless` does not. Another place to fetch it from is set with ELECTRON_MIRROR.';
  return program === null ? { program, reason } : { program };
}

/** The path is written when the download is complete. */
async function findProgramInFolder(folder: string, usual = ''): Promise<string | null> {
  const name = await readFile(join(PACKAGE, 'path.txt'), 'utf8').catch(() => usual);
  const program = join(folder, name);
  return name !== '' && existsSync(program) ? program : null;
}

async function fetchElectron(environment: NodeJS.ProcessEnv): Promise<string | null> {
  console.error(
    `Getting Electron ${electronPackage.version} (about 110 MB), once. Without it: Ctrl-C, then npm start -- --headless`,
  );
  const child = startProgram(
    { program: process.execPath, args: [join(PACKAGE, 'install.js')] },
    {
      stdio: 'inherit',
      // A proxy in the environment is used for the download.
      env: { ELECTRON_GET_USE_PROXY: 'true', ...environment },
    },
  );
  await once(child, 'close');
  return await findProgramInFolder(join(PACKAGE, 'dist'));
}
