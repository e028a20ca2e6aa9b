import { spawn } from 'node:child_process';

/** The program that opens an address on this system, and what is put before the address. */
interface Opener {
  readonly program: string;
  readonly before: readonly string[];
}

/**
 * Opens an address in the browser of this person. Resolves with whether a program took it; that a page is seen nobody can
 * promise. No shell reads the address.
 */
export async function openBrowser(
  address: string,
  environment: NodeJS.ProcessEnv,
): Promise<boolean> {
  const opener = openerOn(process.platform, environment);
  if (opener === null) return false;
  const { program, before } = opener;
  return await new Promise((resolve) => {
    const child = spawn(program, [...before, address], {
      env: environment,
      stdio: 'ignore',
      detached: true,
      windowsHide: true,
    });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}

/** `null` where nobody sits at a screen. */
export function openerOn(platform: NodeJS.Platform, environment: NodeJS.ProcessEnv): Opener | null {
  if (platform === 'darwin') return { program: 'open', before: [] };
  if (platform === 'win32') {
    return { program: 'rundll32.exe', before: ['url.dll,FileProtocolHandler'] };
  }
  const screen = environment['DISPLAY'] ?? environment['WAYLAND_DISPLAY'] ?? '';
  return screen === '' ? null : { program: 'xdg-open', before: [] };
}
