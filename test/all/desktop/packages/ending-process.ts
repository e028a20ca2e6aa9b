import { endAsNode } from '../../../../launcher/end-as-node.ts';
import { behaveAsElectron } from './electron-process.ts';

// Ends in the way that its argument names, in a process that is like Electron's.
behaveAsElectron();
endAsNode();
const [, , way = ''] = process.argv;
process.on('exit', (code) => {
  console.log(`exit ${code}`);
  if (way === 'a listener that fails') throw new Error('nobody catches this');
  if (way === 'a listener that ends it') process.exit(5);
  if (way === 'a listener that chooses the code') process.exitCode = 6;
});
const ends: Record<string, () => unknown> = {
  exitCode: () => {
    process.exitCode = 4;
    process.exit();
  },
  error: () => {
    throw new Error('nobody catches this');
  },
  rejection: () => Promise.reject(new Error('nobody catches this')),
};
setTimeout(() => void (ends[way] ?? (() => process.exit(3)))(), 0);
// Any other way of ending continues here.
setTimeout(() => process.kill(process.pid, 'SIGKILL'), 20_000);
