import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const FOLDER = fileURLToPath(new URL('../../out/peers', import.meta.url));

export interface NpmPackage {
  /** With its scope, such as `@scope/name`. */
  readonly name: string;
  readonly version: string;
}

/**
 * Installs a package with its dependencies beside the project, without running scripts of any, unless it is there already. Resolves to its
 * folder. Rejects when npm cannot install it.
 */
export async function installPackage({ name, version }: NpmPackage): Promise<string> {
  const prefix = join(FOLDER, `${name.slice(1).replace('/', '-')}-${version}`);
  const folder = join(prefix, 'node_modules', name);
  if (existsSync(folder)) return folder;
  await mkdir(prefix, { recursive: true });
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefix', prefix];
  await promisify(execFile)('npm', ['install', ...flags, `${name}@${version}`], { cwd: prefix });
  return folder;
}
