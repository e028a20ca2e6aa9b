import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startProgram } from '../../host/process/child-process.ts';
import { buildDesktop } from '../desktop.ts';
import { environmentOfElectron } from '../electron/electron-environment.ts';
import { openPageServer } from './page-server.ts';
import { anyFreePort, developmentEnvironment, OUT, ROOT, runSession } from './session.ts';

const SOURCES = ['electron', 'launcher', 'gateway', 'host', 'sandbox', 'shared'];

/** Runs the app with its window served from the sources, and restarts it when the code outside the window changes. */
export async function developApp(electron: string): Promise<void> {
  const port = await anyFreePort();
  const server = openPageServer({ port, enginePort: null });
  await mkdir(OUT, { recursive: true });
  const description: object = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
  const app = { ...description, main: 'desktop/main.js' };
  await writeFile(join(OUT, 'package.json'), JSON.stringify(app));
  const environment = {
    ...environmentOfElectron(developmentEnvironment()),
    GATEHOUSE_PAGE_SERVER: `http://127.0.0.1:${port}`,
  };
  const session = runSession({
    server,
    sources: SOURCES,
    program: {
      prepare: async () =>
        await buildDesktop({
          out: join(OUT, 'desktop'),
          replace: { 'electron/page/page-source.ts': 'electron/page/dev-page-source.ts' },
        }),
      launch: () =>
        startProgram(
          { program: electron, args: [OUT] },
          // It has a process group of its own, so that a Ctrl-C reaches it through this process only.
          { stdio: 'inherit', detached: process.platform !== 'win32', env: environment },
        ),
      onExit: (code) => {
        if (code !== 0) {
          console.error(
            `The app ended ${code === null ? 'by a signal' : `with exit code ${code}`}. It starts at the next change. Without it: npm run dev -- --headless`,
          );
          return;
        }
        // A person quit it.
        void session.stop().then(async () => {
          await (await server).close();
          process.exit();
        });
      },
    },
  });
}
