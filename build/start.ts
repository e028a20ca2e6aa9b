import { ignoreDebugSignal } from '../host/process/debug-signal.ts';
import { appOrServe } from './app-or-serve.ts';

// `npm start` runs the desktop app where it can run, otherwise the same gateway with its window in the browser.
ignoreDebugSignal();
await appOrServe(process.argv.slice(2), '/');
