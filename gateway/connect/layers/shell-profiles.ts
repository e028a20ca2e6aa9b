import { readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { ProgramDiagnosis } from '../../../shared/connect/diagnosis.ts';
import { UserError } from '../../errors.ts';
import type { UserPlace } from '../program.ts';
import { configHome } from '../programs/user-folders.ts';
import { toText } from '../text.ts';
import { readUserFile } from '../write-file.ts';
import { readFishExports, readPosixExports, type ShellVariable } from './shell-assignments.ts';

/** A shell profile that exists. */
export interface ShellProfile {
  readonly path: string;
  /** Whether the shell of the person reads it. */
  readonly counts: boolean;
  /** Why it cannot be read; `null` when it can. */
  readonly problem: string | null;
  readonly variables: ReadonlyMap<string, ShellVariable>;
}

/** The files of each shell in the order in which it reads them. `.profile` is also read when a person signs in to a desktop. */
const PROFILES = [
  { shell: null, names: ['.profile'] },
  { shell: 'bash', names: ['.bash_profile', '.bashrc'] },
  { shell: 'zsh', names: ['.zshenv', '.zprofile', '.zshrc'] },
] as const;
/** More files of fish are not read. */
const MAX_FISH_FILES = 50;

/** Reads the shell profiles of a person, weakest first. Windows has none. */
export async function readShellProfiles(place: UserPlace): Promise<readonly ShellProfile[]> {
  const { home, environment, platform } = place;
  if (platform === 'win32') return [];
  const files = PROFILES.flatMap(({ shell, names }) => {
    const folder = (shell === 'zsh' && environment['ZDOTDIR']) || home;
    return names.map((name) => ({ shell, path: join(folder, name) }));
  });
  const fish = (await listFishFiles(place)).map((path) => ({ shell: 'fish', path }));
  const used = usedShell(environment['SHELL']);
  const found = await Promise.all(
    [...files, ...fish].map(async ({ shell, path }) => {
      const counts = shell === null || used === null || shell === used;
      return await readProfile(path, counts, shell === 'fish' ? readFishExports : readPosixExports);
    }),
  );
  return found.filter((profile) => profile !== null);
}

/** Returns the kind of the person's shell, which decides how a variable is taken out of a terminal. */
export function findShellKind({ environment, platform }: UserPlace): ProgramDiagnosis['shell'] {
  if (platform === 'win32') return 'windows';
  return usedShell(environment['SHELL']) === 'fish' ? 'fish' : 'posix';
}

/** Returns the shell of the person; `null` when it is not known, or one whose profiles are not read. */
function usedShell(path: string | undefined): string | null {
  const name = basename(path ?? '');
  return ['bash', 'zsh', 'fish'].includes(name) ? name : null;
}

async function listFishFiles(place: UserPlace): Promise<readonly string[]> {
  const folder = join(configHome(place), 'fish');
  const names = await readdir(join(folder, 'conf.d')).catch(() => []);
  const files = names.filter((name) => name.endsWith('.fish')).toSorted();
  const first = files.slice(0, MAX_FISH_FILES).map((name) => join(folder, 'conf.d', name));
  return [...first, join(folder, 'config.fish')];
}

async function readProfile(
  path: string,
  counts: boolean,
  read: typeof readPosixExports,
): Promise<ShellProfile | null> {
  try {
    const { bytes } = await readUserFile(path);
    if (bytes === null) return null;
    return { path, counts, problem: null, variables: read(toText(bytes, path)) };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return { path, counts, problem: error.message, variables: new Map() };
  }
}
