import module from 'node:module';
import { join } from 'node:path';

// `npm start` runs the desktop app where it can run, otherwise the same gateway with its window in the browser. Compiled code is kept for
// the next start, so everything else is imported after this.
module.enableCompileCache(join(import.meta.dirname, '..', 'out', 'compile-cache'));
const { ignoreDebugSignal } = await import('../host/process/debug-signal.ts');
ignoreDebugSignal();
const { buildPageIfOld } = await import('./page.ts');
await buildPageIfOld();
const { appOrServe } = await import('./app-or-serve.ts');
await appOrServe(process.argv.slice(2), '/');
