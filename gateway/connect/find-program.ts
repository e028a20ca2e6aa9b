import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import type { ProgramState } from '../../shared/connect/connection.ts';
import type { ConnectableProgram, UserPlace } from './program.ts';

/** Endings of programs on Windows, by https://learn.microsoft.com/windows-server/administration/windows-commands/path */
const WINDOWS_ENDINGS = ['.exe', '.cmd', '.bat'];

/**
 * Finds the path of a program's command, or else of its settings; `null` when neither is there. `foundSettingsOnly`: whether its command
 * was looked for in vain.
 */
export function findProgram(
  { commands, traces }: Pick<ConnectableProgram, 'commands' | 'traces'>,
  place: UserPlace,
): Pick<ProgramState, 'foundAt' | 'foundSettingsOnly'> {
  const executable = findExecutable({ commands }, place);
  if (executable !== null) return { foundAt: executable, foundSettingsOnly: false };
  const foundAt = traces(place).find((path) => existsSync(path)) ?? null;
  return { foundAt, foundSettingsOnly: foundAt !== null && commands.length > 0 };
}

/** Returns the path of a program's command; `null` when it is not in PATH. */
export function findExecutable(
  { commands }: Pick<ConnectableProgram, 'commands'>,
  place: UserPlace,
): string | null {
  for (const command of commands) {
    const found = findCommand(command, place);
    if (found !== null) return found;
  }
  return null;
}

/** Returns the path of an executable: of a name in PATH, of a path as it is; `null` when there is none. */
export function findCommand(
  name: string,
  { environment, platform }: Pick<UserPlace, 'environment' | 'platform'>,
): string | null {
  const endings = platform === 'win32' ? WINDOWS_ENDINGS : [''];
  if (/[/\\]/u.test(name))
    return ['', ...endings].map((ending) => name + ending).find(isExecutable) ?? null;
  const folders = (environment['PATH'] ?? environment['Path'] ?? '').split(delimiter);
  for (const folder of folders) {
    if (!isAbsolute(folder)) continue;
    const found = endings.map((ending) => join(folder, name + ending)).find(isExecutable);
    if (found !== undefined) return found;
  }
  return null;
}

/** Returns the name of a command without the ending of a program on Windows. */
export function toCommandName(command: string): string {
  return command.replace(/\.(?:exe|cmd|bat)$/iu, '');
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
