import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { ViteDevServer } from 'vite';
import { startProgram } from '../../host/process/child-process.ts';
import { nextFreePort } from '../../host/process/port-owner.ts';
import { anyFreePort, developmentEnvironment, ROOT, runSession } from './session.ts';

/** Ports beside those of the developer's own Gatehouse. */
const PORTS = { proxy: 6517, page: 6518 } as const;
const SOURCES = ['cli', 'gateway', 'host', 'sandbox', 'shared'];

/** Runs the engine and serves its window in the browser, both from their sources. `args` are those of `serve`. */
export async function developEngine(args: readonly string[]): Promise<void> {
  const environment = developmentEnvironment();
  const enginePort = await anyFreePort();
  const proxyPort = environment['GATEHOUSE_PORT'] ?? String(await freePortFrom(PORTS.proxy));
  // It is loaded while the engine starts, because both take equally long.
  const server = openPageFrom(PORTS.page, enginePort);
  const engineOrigin = `127.0.0.1:${enginePort}/`;
  runSession({
    server,
    sources: SOURCES,
    program: {
      prepare: async () => undefined,
      launch: () => {
        const main = join(ROOT, 'cli', 'main.ts');
        const engine = startProgram(
          {
            program: process.execPath,
            args: [main, 'serve', '--ui-port', String(enginePort), ...args],
          },
          {
            // It has a process group of its own, so that a Ctrl-C reaches it through this process only.
            detached: process.platform !== 'win32',
            stdio: ['pipe', 'pipe', 'inherit'],
            env: { ...environment, GATEHOUSE_PORT: proxyPort },
          },
        );
        // Nobody types into it.
        engine.stdin.end();
        // Its links lead to the page that is served from its sources.
        createInterface(engine.stdout).on('line', (line) => {
          void server.then(({ config }) =>
            console.log(line.replaceAll(engineOrigin, `127.0.0.1:${config.server.port}/`)),
          );
        });
        return engine;
      },
      onExit: (code) =>
        console.error(`The engine ended with exit code ${code}. It starts at the next change.`),
    },
  });
}

/** Serves the page on the first free port, also when another server starts at the same moment. */
async function openPageFrom(first: number, enginePort: number): Promise<ViteDevServer> {
  const { openPageServer } = await import('./page-server.ts');
  for (let port = await freePortFrom(first); ; port = await freePortFrom(port + 1)) {
    try {
      return await openPageServer({ port, enginePort });
    } catch (error) {
      if (!String(error).includes('already in use')) throw error;
    }
  }
}

async function freePortFrom(port: number): Promise<number> {
  return (await nextFreePort(port - 1)) ?? (await anyFreePort());
}
