import type { Launch } from '../hosting/child-process.ts';
import { hasScreen, launch } from './launch.ts';

/** Opens an address in the browser of this person. Resolves with whether a program took it; that a page is seen nobody can promise. */
export async function openBrowser(
  address: string,
  environment: NodeJS.ProcessEnv,
): Promise<boolean> {
  const opener = openerOn(process.platform, environment, address);
  return opener !== null && (await launch(opener, environment));
}

/** `null` where nobody sits at a screen. */
export function openerOn(
  platform: NodeJS.Platform,
  environment: NodeJS.ProcessEnv,
  address: string,
): Launch | null {
  if (platform === 'darwin') return { program: 'open', args: [address] };
  if (platform === 'win32') {
    return { program: 'rundll32.exe', args: ['url.dll,FileProtocolHandler', address] };
  }
  return hasScreen(environment) ? { program: 'xdg-open', args: [address] } : null;
}
