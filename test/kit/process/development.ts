import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const SOURCES = [
  'build',
  'cli',
  'electron',
  'gateway',
  'host',
  'launcher',
  'renderer',
  'sandbox',
  'shared',
];

/** Runs the command as a user who is not root. */
const NOT_ROOT = ['--import', 'data:text/javascript,process.getuid=()=>1000'];

/** A copy of the sources with `npm run dev` running on it. */
export class Development implements AsyncDisposable {
  readonly dir: string;
  readonly child: ChildProcess;
  readonly #lines: string[] = [];
  #newLine = Promise.withResolvers<void>();
  #hasEnded = false;

  private constructor(dir: string, environment: NodeJS.ProcessEnv) {
    this.dir = dir;
    this.child = spawn(process.execPath, [...NOT_ROOT, 'build/dev/main.ts'], {
      cwd: dir,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env['PATH'], HOME: dir, GATEHOUSE_PORT: '0', ...environment },
    });
    this.child.once('close', () => {
      this.#hasEnded = true;
      this.#newLine.resolve();
    });
    for (const input of [this.child.stdout, this.child.stderr]) {
      if (input === null) continue;
      createInterface({ input }).on('line', (line) => {
        this.#lines.push(line);
        this.#newLine.resolve();
        this.#newLine = Promise.withResolvers();
      });
    }
  }

  /** Starts the script without a display, or with a program in place of Electron. */
  static async start(electron?: string): Promise<Development> {
    const dir = await mkdtemp(join(tmpdir(), 'gatehouse-dev-'));
    await Promise.all(
      [...SOURCES, 'package.json', 'tsconfig.base.json'].map(
        async (name) => await cp(join(ROOT, name), join(dir, name), { recursive: true }),
      ),
    );
    await symlink(join(ROOT, 'node_modules'), join(dir, 'node_modules'));
    if (electron === undefined) return new Development(dir, {});
    const program = join(dir, 'program');
    await mkdir(program);
    await writeFile(join(program, 'electron'), electron);
    await chmod(join(program, 'electron'), 0o755);
    // Nothing is restricted on this simulated system, whatever the test machine restricts.
    const main = join(dir, 'build', 'dev', 'main.ts');
    await replaceIn(main, "(args, '/')", `(args, ${JSON.stringify(dir)})`);
    return new Development(dir, { DISPLAY: ':0', ELECTRON_OVERRIDE_DIST_PATH: program });
  }

  /** Waits for the first line that matches and was not returned yet; returns its capture group. */
  async line(pattern: RegExp): Promise<string> {
    for (;;) {
      const at = this.#lines.findIndex((line) => pattern.test(line));
      const [line = ''] = at < 0 ? [] : this.#lines.splice(0, at + 1).slice(-1);
      if (at >= 0) return pattern.exec(line)?.[1] ?? line;
      if (this.#hasEnded) throw new Error(`It ended after: ${this.#lines.join('\n')}`);
      await this.#newLine.promise;
    }
  }

  /** Replaces the first occurrence of a text in a file. */
  async replace(path: string, from: string, to: string): Promise<void> {
    await replaceIn(join(this.dir, path), from, to);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { child } = this;
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM');
      await once(child, 'close');
    }
    await rm(this.dir, { recursive: true, force: true });
  }
}

async function replaceIn(file: string, from: string, to: string): Promise<void> {
  const before = await readFile(file, 'utf8');
  if (!before.includes(from)) throw new Error(`${file} does not contain ${from}.`);
  await writeFile(file, before.replace(from, to));
}
