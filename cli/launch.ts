import { spawn } from 'node:child_process';

/** A program with its arguments. No shell reads them. */
export interface Launch {
  readonly program: string;
  readonly args: readonly string[];
}

/** Starts a program that outlives us. Resolves with whether it started; what it then does nobody can promise. */
export async function launch(
  { program, args }: Launch,
  environment: NodeJS.ProcessEnv,
): Promise<boolean> {
  return await new Promise((resolve) => {
    const child = spawn(program, args, {
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
export function hasScreen(environment: NodeJS.ProcessEnv): boolean {
  return (environment['DISPLAY'] ?? environment['WAYLAND_DISPLAY'] ?? '') !== '';
}
