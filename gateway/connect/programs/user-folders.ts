import { join } from 'node:path';
import type { UserPlace } from '../program.ts';

/** Returns the folder for settings of programs that follow the XDG specification. */
export function configHome({ home, environment }: UserPlace): string {
  return environment['XDG_CONFIG_HOME'] || join(home, '.config');
}

/** Returns the folder for settings of programs on Windows. */
export function roamingAppData({ home, environment }: UserPlace): string {
  return environment['APPDATA'] || join(home, 'AppData', 'Roaming');
}
