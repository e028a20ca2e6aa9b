import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** A Wayland desktop may have these reasons to give a program no shortcut for the whole system, as far as its files tell. */
export type ShortcutObstacle = 'no-portal' | 'not-installed';

const SHORTCUTS_INTERFACE = 'org.freedesktop.impl.portal.GlobalShortcuts';

/**
 * Finds the reason why a program cannot have such a shortcut; `null` when none is known. `no-portal`: no portal of this desktop offers any.
 * `not-installed`: xdg-desktop-portal 1.21 and later asks for an entry of the program, `id` with `.desktop`, among the applications.
 */
export function findShortcutObstacle(
  environment: NodeJS.ProcessEnv,
  id: string,
): ShortcutObstacle | null {
  const folders = xdgDataFolders(environment);
  if (!folders.some(hasShortcutPortal)) return 'no-portal';
  const entry = join('applications', `${id}.desktop`);
  return folders.some((folder) => existsSync(join(folder, entry))) ? null : 'not-installed';
}

/** By the XDG Base Directory Specification: a relative path is to be ignored. */
function xdgDataFolders(environment: NodeJS.ProcessEnv): readonly string[] {
  const home = environment['XDG_DATA_HOME'] ?? '';
  const own = home.startsWith('/') ? home : join(homedir(), '.local', 'share');
  const shared = environment['XDG_DATA_DIRS'] || '/usr/local/share:/usr/share';
  return [own, ...shared.split(':').filter((folder) => folder.startsWith('/'))];
}

/** Each implementation of portals is described by a file with the interfaces that it has. */
function hasShortcutPortal(folder: string): boolean {
  const portals = join(folder, 'xdg-desktop-portal', 'portals');
  return listNames(portals).some(
    (name) => name.endsWith('.portal') && declaresShortcuts(join(portals, name)),
  );
}

function listNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // There is none.
    return [];
  }
}

function declaresShortcuts(file: string): boolean {
  try {
    const [, interfaces = ''] = /^Interfaces\s*=(.*)$/mu.exec(readFileSync(file, 'utf8')) ?? [];
    return interfaces.split(';').some((name) => name.trim() === SHORTCUTS_INTERFACE);
  } catch {
    // It cannot be read, by the portal neither.
    return false;
  }
}
