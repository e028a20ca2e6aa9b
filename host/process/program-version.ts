import { homedir } from 'node:os';
import { Semaphore } from 'async-mutex';
import { runProgram } from './child-process.ts';

/** Some programs are slow at their first start. */
const TIMEOUT_MS = 5_000;
const MAX_OUTPUT_BYTES = 16 * 1024;
/** So many programs run at the same time. */
const turns = new Semaphore(4);

/**
 * Asks a program for its version; `null` when it does not tell. It is started in the home folder, because many programs read the settings
 * of the folder that they are started in. A few run at the same time. Never rejects.
 */
export async function readProgramVersion(
  path: string,
  environment: NodeJS.ProcessEnv,
): Promise<string | null> {
  const [, release] = await turns.acquire();
  try {
    const printed = await runProgram(
      { program: path, args: ['--version'] },
      {
        cwd: environment['HOME'] || homedir(),
        // Claude Code looks for a newer version of itself otherwise.
        env: { ...environment, DISABLE_AUTOUPDATER: '1' },
        timeout: TIMEOUT_MS,
        killSignal: 'SIGKILL',
        maxBuffer: MAX_OUTPUT_BYTES,
        windowsHide: true,
      },
    );
    return findVersion(printed);
  } catch {
    // It cannot be started, takes too long, or prints something else.
    return null;
  } finally {
    release();
  }
}

function findVersion(text: string): string | null {
  return /(?<![\w.])v?(\d{1,6}\.\d{1,6}[\w.+-]{0,40})/u.exec(text)?.[1] ?? null;
}
