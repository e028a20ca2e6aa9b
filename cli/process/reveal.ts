import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { UserError } from '../../gateway/errors.ts';
import { type CommandLine, runProgram } from '../../host/process/child-process.ts';
import { hasDisplay, spawnDetached } from './spawn-detached.ts';

const TIMEOUT_MS = 5_000;

/** Shows a file in the file manager, or its folder where only that is possible. @throws UserError when neither is. */
export async function reveal(path: string, environment: NodeJS.ProcessEnv): Promise<void> {
  const isThere = await stat(path).catch(() => null);
  if (isThere === null) throw new UserError(`The file no longer exists: ${path}`);
  for (const command of findRevealCommands(process.platform, environment, path)) {
    if (await tryReveal(command, environment)) return;
  }
  throw new UserError('Gatehouse cannot open a file manager here. Copy the path instead.');
}

/** A program, and whether its exit code tells that the file is shown. */
type RevealCommand = CommandLine & { readonly reportsSuccess: boolean };

/** Lists the programs, best first. There are none without a graphical session. */
export function findRevealCommands(
  platform: NodeJS.Platform,
  environment: NodeJS.ProcessEnv,
  path: string,
): readonly RevealCommand[] {
  if (platform === 'darwin') return [{ program: 'open', args: ['-R', path], reportsSuccess: true }];
  if (platform === 'win32') {
    return [{ program: 'explorer.exe', args: [`/select,${path}`], reportsSuccess: false }];
  }
  if (!hasDisplay(environment)) return [];
  // This is the File Manager interface of freedesktop.org. A comma would begin another item.
  const item = pathToFileURL(path).href.replaceAll(',', '%2C');
  return [
    {
      program: 'dbus-send',
      args: [
        '--session',
        '--print-reply',
        '--dest=org.freedesktop.FileManager1',
        '/org/freedesktop/FileManager1',
        'org.freedesktop.FileManager1.ShowItems',
        `array:string:${item}`,
        'string:',
      ],
      reportsSuccess: true,
    },
    { program: 'xdg-open', args: [dirname(path)], reportsSuccess: false },
  ];
}

async function tryReveal(
  { reportsSuccess, ...command }: RevealCommand,
  environment: NodeJS.ProcessEnv,
): Promise<boolean> {
  if (!reportsSuccess) return await spawnDetached(command, environment);
  return await runProgram(command, { env: environment, timeout: TIMEOUT_MS }).then(
    () => true,
    // It is missing, or reports failure.
    () => false,
  );
}
