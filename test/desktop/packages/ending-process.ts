import { endAsNode } from '../../../launcher/end-as-node.ts';
import { behaveAsElectron } from './electron-process.ts';

// Ends in the way that its argument names, in a process that is like Electron's.
behaveAsElectron();
endAsNode();
process.on('exit', (code) => console.log(`exit ${code}`));
const ends: Record<string, () => unknown> = {
  exit: () => process.exit(3),
  exitCode: () => {
    process.exitCode = 4;
    process.exit();
  },
  error: () => {
    throw new Error('nobody catches this');
  },
  rejection: () => Promise.reject(new Error('nobody catches this')),
};
setTimeout(() => void ends[process.argv[2] ?? '']?.(), 0);
// Whatever ends nothing goes on.
setTimeout(() => process.kill(process.pid, 'SIGKILL'), 20_000);
