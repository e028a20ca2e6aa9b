import { once } from 'node:events';
import { watch } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { ViteDevServer } from 'vite';
import { RestartingProcess, type RestartingProcessOptions } from './restarting-process.ts';

/** The repository. */
export const ROOT = join(import.meta.dirname, '..', '..');
/** Everything that development writes. */
export const OUT = join(ROOT, 'out', 'dev');
/** Changes that an editor writes together lead to one restart. Milliseconds. */
const SETTLE_MS = 30;
/** A Ctrl-C comes from the terminal and once more from npm. Milliseconds. */
const ECHO_MS = 200;

/** Where Node keeps compiled code between starts: stripping types from all of the engine takes longer than its start. */
export const COMPILE_CACHE = join(OUT, 'compiled');

/** A data folder of its own, so that unfinished code never touches the data of the Gatehouse that its developer uses. */
export function developmentEnvironment(): NodeJS.ProcessEnv {
  return {
    GATEHOUSE_DATA_DIR: join(OUT, 'data'),
    NODE_COMPILE_CACHE: COMPILE_CACHE,
    ...process.env,
  };
}

export interface SessionOptions {
  /** The program starts while the server still does. */
  readonly server: Promise<ViteDevServer>;
  readonly program: Pick<RestartingProcessOptions, 'prepare' | 'launch' | 'onExit'>;
  /** The folders whose changes restart the program, below the repository. */
  readonly sources: readonly string[];
}

/** Runs the program and the page's server until Ctrl-C. The page's server renews the page itself. */
export function runSession({ server, program, sources }: SessionOptions): RestartingProcess {
  const running = new RestartingProcess({
    ...program,
    onFailure: (error) => console.error(error instanceof Error ? error.message : error),
  });
  let settle: NodeJS.Timeout | undefined;
  for (const folder of sources) {
    // Unlike the watcher of the page's server this one sees every change from here on.
    watch(join(ROOT, folder), { recursive: true }, (_event, name) => {
      if (name === null || !/(?<!\.test)\.ts$/u.test(name)) return;
      clearTimeout(settle);
      settle = setTimeout(() => running.restart(), SETTLE_MS);
    });
  }
  let askedAt = -Infinity;
  const stop = (): void => {
    if (performance.now() - askedAt < ECHO_MS) return;
    askedAt = performance.now();
    clearTimeout(settle);
    void running
      .stop()
      .then(async () => await (await server).close())
      .finally(() => process.exit());
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  running.restart();
  server.catch((error: unknown) => {
    console.error(error);
    process.exitCode = 1;
    stop();
  });
  return running;
}

/** A free port, for what nobody types, and what stays the same over restarts. */
export async function anyFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}
