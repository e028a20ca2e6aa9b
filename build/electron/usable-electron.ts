import { type ElectronFound, getElectron } from './electron-program.ts';
import { SKIP_CHECK, explainSandboxFailure } from './electron-sandbox.ts';
import { findHeadlessReason } from '../headless-reason.ts';

/**
 * Finds Electron's program where the app can be opened with it, otherwise the reason why not. Downloads Electron when only that is
 * missing. `args` are those of the start; `root` is the folder that contains `proc`.
 */
export async function findUsableElectron(
  args: readonly string[],
  root: string,
): Promise<ElectronFound> {
  const { platform, env: environment } = process;
  const reason = findHeadlessReason({
    args,
    platform,
    environment,
    isRoot: process.getuid?.() === 0,
  });
  if (reason !== null) return { program: null, reason };
  const found = await getElectron(environment);
  const isChecked = platform === 'linux' && environment[SKIP_CHECK] !== '1';
  if (found.program === null || !isChecked) return found;
  const unsafe = await explainSandboxFailure(found.program, root);
  return unsafe === null ? found : { program: null, reason: unsafe };
}
