import { type CommandLine, startProgram } from '../../host/process/child-process.ts';

/** Starts a program that outlives this process. Resolves with whether it started. */
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

/** Whether there is a graphical session on this Linux or BSD. */
export function hasDisplay(environment: NodeJS.ProcessEnv): boolean {
  return (environment['DISPLAY'] ?? environment['WAYLAND_DISPLAY'] ?? '') !== '';
}
