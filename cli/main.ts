#!/usr/bin/env node
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
void import('./program.ts').then(async ({ runProgram }) => await runProgram(process));
