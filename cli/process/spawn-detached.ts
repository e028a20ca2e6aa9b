import { type CommandLine, startProgram } from '../../host/process/child-process.ts';

/** Starts a program that outlives us. Resolves with whether it started; what it then does nobody can promise. */
export async function spawnDetached(
  commandLine: CommandLine,
  environment: NodeJS.ProcessEnv,
): Promise<boolean> {
  return await new Promise((resolve) => {
    const child = startProgram(commandLine, {
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

/** Whether a person sits at a screen of this Linux or BSD. */
export function hasDisplay(environment: NodeJS.ProcessEnv): boolean {
  return (environment['DISPLAY'] ?? environment['WAYLAND_DISPLAY'] ?? '') !== '';
}
