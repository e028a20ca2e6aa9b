import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { prepareDataDir } from '../host/data-folder.ts';
import { readLockOwner } from '../host/lock/instance-lock.ts';
import { type AppEnd, runApp } from './app-run.ts';
import { isDesktopOld } from './freshness.ts';
import { findUsableElectron } from './electron/usable-electron.ts';

const ROOT = join(import.meta.dirname, '..');
const HEADLESS = '--headless';
/** Timeout and interval for waiting until the engine of a failed app has released its data folder, in milliseconds. */
const HANDOVER_MS = 12_000;
const LOOK_MS = 50;

/**
 * Runs the desktop app where it can run, otherwise `gatehouse serve` with the reason, also when Electron fails later. `root` is the
 * folder that contains `proc`.
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
  console.error('Opening the desktop app. Ctrl-C here ends it.');
  const before = await findDesktopEngine(process.env);
  const end = await runApp(electron.program, ROOT);
  if ('failure' in end) await untilFree(process.env, before);
  return end;
}

/**
 * Waits for the engine of the failed app, which ends by itself and holds the data folder until then. Does not wait for the engine of
 * another app that ran before.
 */
async function untilFree(environment: NodeJS.ProcessEnv, before: number | null): Promise<void> {
  const end = performance.now() + HANDOVER_MS;
  for (;;) {
    const pid = await findDesktopEngine(environment);
    if (pid === null || pid === before || performance.now() > end) return;
    await pause(LOOK_MS);
  }
}

/**
 * Finds the process id of the app's engine that holds the data folder. `serve` reports an error of the folder itself, so here it counts
 * as none.
 */
async function findDesktopEngine(environment: NodeJS.ProcessEnv): Promise<number | null> {
  try {
    const holder = await readLockOwner(await prepareDataDir(undefined, environment));
    return holder?.runs === 'desktop' ? holder.pid : null;
  } catch {
    return null;
  }
}

/** Runs `gatehouse serve` in this process, with its signals and its exit code. */
async function serve(rest: readonly string[]): Promise<void> {
  const main = join(ROOT, 'cli', 'main.ts');
  process.argv = [process.execPath, main, 'serve', ...rest];
  await import(pathToFileURL(main).href);
}
