import { existsSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { StartPlace, UserPlace } from '../program.ts';

/** Returns the folder for settings of programs that follow the XDG specification. */
export function configHome({ home, environment }: UserPlace): string {
  return environment['XDG_CONFIG_HOME'] || join(home, '.config');
}

/** Returns the folder for settings of programs on Windows. */
export function roamingAppData({ home, environment }: UserPlace): string {
  return environment['APPDATA'] || join(home, 'AppData', 'Roaming');
}

/** Lists the files of a folder whose names end so, in the order of their names; none where it cannot be read. */
export function listFiles(folder: string, ending: string): readonly string[] {
  try {
    const names = readdirSync(folder).filter((name) => name.endsWith(ending));
    return names.toSorted().map((name) => join(folder, name));
  } catch {
    return [];
  }
}

/** Returns the folders of a project, the outermost first: from its Git repository to where a program is started; none when that is unknown. */
export function projectFolders({ folder }: StartPlace): readonly string[] {
  if (folder === null) return [];
  const folders = [folder];
  for (let at = folder; !existsSync(join(at, '.git')); at = dirname(at)) {
    if (dirname(at) === at) return [folder];
    folders.unshift(dirname(at));
  }
  return folders;
}
