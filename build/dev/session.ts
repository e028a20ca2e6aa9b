import { once } from 'node:events';
import { watch } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import type { ViteDevServer } from 'vite';
import { RestartingProcess, type RestartingProcessOptions } from './restarting-process.ts';

/** The repository. */
export const ROOT = join(import.meta.dirname, '..', '..');
/** The folder for everything that development writes. */
export const OUT = join(ROOT, 'out', 'dev');
/** Changes that an editor writes together lead to one restart. In milliseconds. */
const SETTLE_MS = 30;
/** A Ctrl-C arrives from the terminal and again from npm. In milliseconds. */
const ECHO_MS = 200;

/** Node's compile cache: stripping the types of the engine takes longer than its start. */
export const COMPILE_CACHE = join(OUT, 'compiled');

/** A separate data folder, so that unfinished code never touches the data of the developer's own Gatehouse. */
export function developmentEnvironment(): NodeJS.ProcessEnv {
  return {
    GATEHOUSE_DATA_DIR: join(OUT, 'data'),
    NODE_COMPILE_CACHE: COMPILE_CACHE,
    ...process.env,
  };
}

export interface SessionOptions {
  /** The program starts while the server is still starting. */
  readonly server: Promise<ViteDevServer>;
  readonly program: Pick<RestartingProcessOptions, 'prepare' | 'launch' | 'onExit'>;
  /** The folders below the repository whose changes restart the program. */
  readonly sources: readonly string[];
}

/** Runs the program and the page's server until Ctrl-C. The page's server updates the page itself. */
export function runSession({ server, program, sources }: SessionOptions): RestartingProcess {
  const running = new RestartingProcess({
    ...program,
    onFailure: (error) => console.error(error instanceof Error ? error.message : error),
  });
  let settle: NodeJS.Timeout | undefined;
  for (const folder of sources) {
    // Unlike the watcher of the page's server, this one sees every change from here on.
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

/** Finds a free port for an address that nobody types and that is the same after restarts. */
export async function anyFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}
