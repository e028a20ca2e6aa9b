import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { constants } from 'node:os';
import { join } from 'node:path';
import electronPackage from 'electron/package.json' with { type: 'json' };
import { buildDesktop } from './desktop.ts';
import { isOld } from './freshness.ts';
import { HEADLESS, whyHeadless } from './why-headless.ts';

const ROOT = join(import.meta.dirname, '..');
const PACKAGE = join(ROOT, 'node_modules', 'electron');
/** What the desktop app is made of. */
const SOURCES = ['electron', 'gateway', 'hosting', 'sandbox', 'shared', 'build', 'package.json'];
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const OVERRIDE = process.env['ELECTRON_OVERRIDE_DIST_PATH'];

// `npm start`: the desktop app where it can run, otherwise the same gateway with its window in the browser.
const args = process.argv.slice(2);
const { platform, env: environment } = process;
const reason = whyHeadless({ args, platform, environment, isRoot: process.getuid?.() === 0 });
const electron = reason === null ? await getElectron() : null;
if (electron === null) {
  const why =
    reason ?? 'Electron could not be fetched, which will be tried again at the next start.';
  console.error(`Gatehouse runs without its desktop app: ${why}`);
  if (reason === null) console.error(`To not try: npm start -- ${HEADLESS}`);
  const rest = args.filter((arg) => arg !== HEADLESS);
  process.exitCode = await run(process.execPath, [join(ROOT, 'cli', 'main.ts'), 'serve', ...rest]);
} else {
  if (await isOld('out/desktop/main.js', SOURCES)) await buildDesktop();
  process.exitCode = await run(electron, [ROOT]);
}

/** The Electron program, fetched if it is not there; `null` when that failed. */
async function getElectron(): Promise<string | null> {
  const there = await findElectron();
  if (there !== null || OVERRIDE !== undefined) return there;
  console.error(
    `Getting Electron ${electronPackage.version} (about 110 MB), once. Ctrl-C stops; without it: npm start -- ${HEADLESS}`,
  );
  const code = await run(process.execPath, [join(PACKAGE, 'install.js')]);
  // A person stopped it, and with it this start.
  if (code > 128) process.exit(code);
  return code === 0 ? await findElectron() : null;
}

async function findElectron(): Promise<string | null> {
  const name = await readFile(join(PACKAGE, 'path.txt'), 'utf8').catch(() => 'electron');
  const program = join(OVERRIDE ?? join(PACKAGE, 'dist'), name);
  return existsSync(program) ? program : null;
}

/** Runs a program to its end and hands signals on. Resolves with its exit code; as shells do, 128 and more for a signal. */
async function run(program: string, its: readonly string[]): Promise<number> {
  const child = spawn(program, its, { stdio: 'inherit' });
  // Windows tells both of a Ctrl-C, and handing it on would end the other on the spot.
  const handOn = (signal: NodeJS.Signals): void => {
    if (process.platform !== 'win32') child.kill(signal);
  };
  for (const signal of SIGNALS) process.on(signal, handOn);
  return await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      for (const each of SIGNALS) process.off(each, handOn);
      resolve(code ?? (signal === null ? 1 : 128 + constants.signals[signal]));
    });
  });
}
