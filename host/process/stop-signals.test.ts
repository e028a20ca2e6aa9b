import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runProgram } from './child-process.ts';

const PROGRAM = `
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import { listenForStopSignals } from ${JSON.stringify(join(import.meta.dirname, 'stop-signals.ts'))};

const received = [];
listenForStopSignals((times) => {
  received.push(times);
  if (times > 1) return;
  process.kill(process.pid, 'SIGTERM');
  const end = performance.now() + 400;
  while (performance.now() < end);
});
process.kill(process.pid, 'SIGINT');
while (received.length === 0) await turn();
await pause(400);
await turn();
await turn();
process.kill(process.pid, 'SIGINT');
while (received.length === 1) await turn();
process.kill(process.pid, 'SIGTERM');
await pause(10);
console.log(received.join());
`;

test.skipIf(process.platform === 'win32')(
  'a signal that arrives with the first one is no second request, also when the process is busy then',
  async () => {
    const args = ['--input-type=module', '--eval', PROGRAM];
    expect(await runProgram({ program: process.execPath, args }, {})).toBe('1,2\n');
  },
);
