import type { CommandLine } from '../../host/process/child-process.ts';
import { hasDisplay, spawnDetached } from './spawn-detached.ts';

/** Opens an address in the person's browser. Resolves with whether a program accepted it; whether the page is shown is unknown. */
export async function openBrowser(
  address: string,
  environment: NodeJS.ProcessEnv,
): Promise<boolean> {
  const opener = findOpener(process.platform, environment, address);
  return opener !== null && (await spawnDetached(opener, environment));
}

/** Finds the program that opens addresses; `null` without a graphical session. */
export function findOpener(
  platform: NodeJS.Platform,
  environment: NodeJS.ProcessEnv,
  address: string,
): CommandLine | null {
  if (platform === 'darwin') return { program: 'open', args: [address] };
  if (platform === 'win32') {
    return { program: 'rundll32.exe', args: ['url.dll,FileProtocolHandler', address] };
  }
  return hasDisplay(environment) ? { program: 'xdg-open', args: [address] } : null;
}
