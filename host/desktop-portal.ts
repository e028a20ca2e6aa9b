import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** Reasons for which a Wayland desktop may refuse a global shortcut to a program, as far as its files show. */
export type ShortcutObstacle = 'no-portal' | 'not-installed';

const SHORTCUTS_INTERFACE = 'org.freedesktop.impl.portal.GlobalShortcuts';

/**
 * Finds the reason why a program cannot have a global shortcut; `null` when none is known. `no-portal`: no portal of this desktop offers
 * shortcuts. `not-installed`: xdg-desktop-portal 1.21 and later requires a desktop entry of the program, `id` with `.desktop`.
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

/** Lists the folders of the XDG Base Directory Specification, which says to ignore a relative path. */
function xdgDataFolders(environment: NodeJS.ProcessEnv): readonly string[] {
  const home = environment['XDG_DATA_HOME'] ?? '';
  const own = home.startsWith('/') ? home : join(homedir(), '.local', 'share');
  const shared = environment['XDG_DATA_DIRS'] || '/usr/local/share:/usr/share';
  return [own, ...shared.split(':').filter((folder) => folder.startsWith('/'))];
}

/** Reads the files that describe the installed portals with the interfaces that each implements. */
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
    // There is no such folder.
    return [];
  }
}

function declaresShortcuts(file: string): boolean {
  try {
    const [, interfaces = ''] = /^Interfaces\s*=(.*)$/mu.exec(readFileSync(file, 'utf8')) ?? [];
    return interfaces.split(';').some((name) => name.trim() === SHORTCUTS_INTERFACE);
  } catch {
    // The portal cannot read it either.
    return false;
  }
}
