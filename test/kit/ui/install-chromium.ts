import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { findChromium } from './chromium.ts';

const PLAYWRIGHT = join(
  import.meta.dirname,
  '..',
  '..',
  '..',
  'node_modules',
  '.bin',
  'playwright',
);

/** Sees to it that there is a browser for the tests of the window, or says what to do. */
function install(): boolean {
  if (findChromium(process.env) !== null) return true;
  if (process.getuid?.() === 0 && runs('apt-get', ['--version'], 'ignore')) {
    console.log('No Chromium here: installing the one of this system.');
    runs('apt-get', ['update', '-qq'], 'inherit');
    runs('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'chromium'], 'inherit');
  } else {
    console.log('No Chromium here: installing one for Playwright.');
    runs(PLAYWRIGHT, ['install', 'chromium'], 'inherit');
  }
  return findChromium(process.env) !== null;
}

function runs(program: string, args: readonly string[], stdio: 'inherit' | 'ignore'): boolean {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  return spawnSync(program, args, { stdio, env }).status === 0;
}

if (!install()) {
  console.error(
    'The window is tested in a browser, and none could be installed. Install Chromium, Chrome or Edge, or set CHROMIUM to the program.',
  );
  process.exitCode = 1;
}
