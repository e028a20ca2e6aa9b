#!/usr/bin/env node
import module from 'node:module';
import { fileURLToPath } from 'node:url';
import { ignoreDebugSignal } from '../host/process/debug-signal.ts';

ignoreDebugSignal();
// Nothing else may be imported above this check: older versions cannot even load the rest of the program.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 24 || (major === 24 && minor < 15)) {
  console.error(
    `Gatehouse needs Node.js 24.15 or newer, and this is ${process.version}. Install a newer one from https://nodejs.org.`,
  );
  process.exit(1);
}
// Compiled code is kept for the next start, where the folder can be written.
const cache = import.meta.url.endsWith('.ts') ? '../out/compile-cache' : '../compile-cache';
module.enableCompileCache(fileURLToPath(new URL(cache, import.meta.url)));
void import('./run-command.ts').then(async ({ runCommand }) => await runCommand(process));
