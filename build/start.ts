import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ignoreDebugSignal } from '../hosting/debug-signal.ts';
import { runApp } from './app-run.ts';
import { getElectron } from './electron-program.ts';
import { isOld } from './freshness.ts';
import { whyHeadless } from './why-headless.ts';

const ROOT = join(import.meta.dirname, '..');
/** What the desktop app is made of. */
const SOURCES = ['electron', 'gateway', 'hosting', 'sandbox', 'shared', 'build', 'package.json'];
const HEADLESS = '--headless';

// `npm start`: the desktop app where it can run, otherwise the same gateway with its window in the browser.
ignoreDebugSignal();
const args = process.argv.slice(2);
if (args.includes(HEADLESS)) await serve(args.filter((arg) => arg !== HEADLESS));
else await openApp();

async function openApp(): Promise<void> {
  const { platform, env: environment } = process;
  const reason = whyHeadless({ args, platform, environment, isRoot: process.getuid?.() === 0 });
  const electron = reason === null ? await getElectron(environment) : { program: null, reason };
  if (electron.program === null) {
    console.error(`Gatehouse runs without its desktop app: ${electron.reason}`);
    return await serve(args);
  }
  // The last thing that is written there.
  if (await isOld('out/desktop/THIRD-PARTY-NOTICES.txt', SOURCES)) {
    console.error('Building the desktop app. This takes a few seconds, and only after a change.');
    const { buildDesktop } = await import('./desktop.ts');
    await buildDesktop();
  }
  console.error('Gatehouse opens as an app. Ctrl-C here ends it.');
  process.exitCode = await runApp(electron.program, ROOT);
}

/** Becomes `gatehouse serve`: its signals and its exit code are those of this process. */
async function serve(rest: readonly string[]): Promise<void> {
  const main = join(ROOT, 'cli', 'main.ts');
  process.argv = [process.execPath, main, 'serve', ...rest];
  await import(pathToFileURL(main).href);
}
