import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Refused } from '../gateway/refused.ts';
import { type Launch, runProgram } from '../hosting/child-process.ts';
import { hasScreen, launch } from './launch.ts';

const PATIENCE_MS = 5_000;

/** Shows a file in the file manager, or its folder where only that can be shown. @throws Refused when neither can be. */
export async function reveal(path: string, environment: NodeJS.ProcessEnv): Promise<void> {
  const isThere = await stat(path).catch(() => null);
  if (isThere === null) throw new Refused(`The file is not there any more: ${path}`);
  for (const way of waysOn(process.platform, environment, path)) {
    if (await takes(way, environment)) return;
  }
  throw new Refused('Gatehouse cannot open a file manager here. Copy the path instead.');
}

/** A program, and whether its exit code tells that the file is shown. */
type Way = Launch & { readonly tells: boolean };

/** Best first. None where nobody sits at a screen. */
export function waysOn(
  platform: NodeJS.Platform,
  environment: NodeJS.ProcessEnv,
  path: string,
): readonly Way[] {
  if (platform === 'darwin') return [{ program: 'open', args: ['-R', path], tells: true }];
  if (platform === 'win32') {
    return [{ program: 'explorer.exe', args: [`/select,${path}`], tells: false }];
  }
  if (!hasScreen(environment)) return [];
  // File Manager interface of freedesktop.org. A comma would begin another item.
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
      tells: true,
    },
    { program: 'xdg-open', args: [dirname(path)], tells: false },
  ];
}

async function takes({ tells, ...way }: Way, environment: NodeJS.ProcessEnv): Promise<boolean> {
  if (!tells) return await launch(way, environment);
  return await runProgram(way, { env: environment, timeout: PATIENCE_MS }).then(
    () => true,
    // It is absent, or says that it cannot.
    () => false,
  );
}
