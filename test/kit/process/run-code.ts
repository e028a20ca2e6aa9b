import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const MAX_OUTPUT = 16 * 1024 * 1024;

/** Whether there is a POSIX shell. */
export const SHELL = process.platform !== 'win32';

function createEnvironment(localKey: string): NodeJS.ProcessEnv {
  return { PATH: process.env['PATH'], GATEHOUSE_API_KEY: localKey };
}

/** Runs a command with a local key in its environment, and returns its output. */
export async function runShell(command: string, localKey: string): Promise<string> {
  const env = createEnvironment(localKey);
  const child = run('sh', ['-s'], { env, maxBuffer: MAX_OUTPUT });
  child.child.stdin?.end(command);
  return (await child).stdout;
}

/** Runs a program with a local key in its environment and our packages, and returns its output. */
export async function runTypescript(source: string, localKey: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-code-'));
  try {
    const modules = join(import.meta.dirname, '..', '..', '..', 'node_modules');
    await symlink(modules, join(folder, 'node_modules'), 'junction');
    const file = join(folder, 'ask.mts');
    await writeFile(file, source);
    const { stdout } = await run(process.execPath, [file], { env: createEnvironment(localKey) });
    return stdout;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Runs a Python program with an input, and returns its output. */
export async function runPython(source: string, input: string): Promise<string> {
  const child = run('python3', ['-c', source], { maxBuffer: MAX_OUTPUT });
  child.child.stdin?.end(input);
  return (await child).stdout;
}
