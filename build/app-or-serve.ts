import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { openDataDir } from '../hosting/data-folder.ts';
import { readHolder } from '../hosting/lock.ts';
import { type AppEnd, runApp } from './app-run.ts';
import { isDesktopOld } from './freshness.ts';
import { findUsableElectron } from './usable-electron.ts';

const ROOT = join(import.meta.dirname, '..');
const HEADLESS = '--headless';
/** So long the engine of an app that has failed may take to give its data folder back, and how often that is looked at. Milliseconds. */
const HANDOVER_MS = 12_000;
const LOOK_MS = 50;

/**
 * Runs the desktop app where it can run, otherwise `gatehouse serve` with the reason; also when Electron fails on its way. `root` is the
 * folder that the `proc` of this system is in.
 */
export async function appOrServe(args: readonly string[], root: string): Promise<void> {
  if (args.includes(HEADLESS)) return await serve(args.filter((arg) => arg !== HEADLESS));
  const end = await tryApp(args, root);
  if ('exitCode' in end) {
    process.exitCode = end.exitCode;
    return;
  }
  console.error(`Gatehouse runs without its desktop app: ${end.failure}`);
  await serve(args);
}

async function tryApp(args: readonly string[], root: string): Promise<AppEnd> {
  const electron = await findUsableElectron(args, root);
  if (electron.program === null) return { failure: electron.reason };
  if (await isDesktopOld()) {
    console.error('Building the desktop app. This takes a few seconds, and only after a change.');
    const { buildDesktop } = await import('./desktop.ts');
    await buildDesktop();
  }
  console.error('Gatehouse opens as an app. Ctrl-C here ends it.');
  const end = await runApp(electron.program, ROOT);
  if ('failure' in end) await untilFree(process.env);
  return end;
}

/** Waits for the engine of the app that failed: it ends by itself, and holds the data folder until then. */
async function untilFree(environment: NodeJS.ProcessEnv): Promise<void> {
  const end = performance.now() + HANDOVER_MS;
  try {
    const dataDir = await openDataDir(undefined, environment);
    while (performance.now() < end && (await readHolder(dataDir))?.runs === 'desktop') {
      await pause(LOOK_MS);
    }
  } catch {
    // What is wrong with the folder, `serve` says.
  }
}

/** Becomes `gatehouse serve`: its signals and its exit code are those of this process. */
async function serve(rest: readonly string[]): Promise<void> {
  const main = join(ROOT, 'cli', 'main.ts');
  process.argv = [process.execPath, main, 'serve', ...rest];
  await import(pathToFileURL(main).href);
}
