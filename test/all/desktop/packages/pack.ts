import { execFile, spawnSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '..', '..', '..', '..');
const run = promisify(execFile);
/** The command that builds a package: electron-builder itself, or `npm run package`. */
const PROGRAMS = {
  builder: createRequire(import.meta.url).resolve('electron-builder/cli.js'),
  script: join(ROOT, 'build', 'package.ts'),
};

export interface Order {
  readonly by: keyof typeof PROGRAMS;
  /** A folder with Electron's files. */
  readonly electron: string;
  readonly output: string;
  /** Targets and options of electron-builder. */
  readonly args: readonly string[];
  readonly environment?: NodeJS.ProcessEnv;
}

/** Whether programs are installed here. */
export function has(...programs: readonly string[]): boolean {
  return programs.every((name) => spawnSync('sh', ['-c', `command -v ${name}`]).status === 0);
}

/** Packs the app of this repository; the folder of the output gets what was made. */
export async function pack({ by, electron, output, args, environment }: Order): Promise<void> {
  const places = [`-c.electronDist=${electron}`, `-c.directories.output=${output}`];
  await run(process.execPath, [PROGRAMS[by], ...args, ...places], {
    cwd: ROOT,
    env: { ...process.env, CI: '', GITHUB_REPOSITORY: '', GATEHOUSE_RELEASE: '', ...environment },
    maxBuffer: 16 * 1024 * 1024,
  });
}

/** Puts the stand-in for fpm into a folder and resolves with an environment in which electron-builder uses it. */
export async function useFpmStandIn(folder: string): Promise<NodeJS.ProcessEnv> {
  const fpm = join(import.meta.dirname, 'fpm-stand-in.ts');
  await mkdir(folder, { recursive: true });
  const script = `#!/bin/sh\nexec '${process.execPath}' '${fpm}' "$@"\n`;
  await writeFile(join(folder, 'fpm'), script, { mode: 0o755 });
  const path = [folder, process.env['PATH'] ?? ''].join(delimiter);
  return { USE_SYSTEM_FPM: 'true', PATH: path };
}
