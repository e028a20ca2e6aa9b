import { createORPCClient } from '@orpc/client';
import { RPCLink } from '@orpc/client/message-port';
import { implement } from '@orpc/server';
import { RPCHandler } from '@orpc/server/message-port';
import { router } from '../../gateway/api/router.ts';
import { ignoreDebugSignal } from '../../host/process/debug-signal.ts';
import { engineContract } from '../../host/engine/engine-contract.ts';
import { reportFatalErrors } from '../../host/log/fatal-report.ts';
import { EngineInstance, type NativeCalls } from '../../host/engine/engine-instance.ts';

ignoreDebugSignal();
// This is the engine's process. The main process passes the path of the log and transfers ports: first two of its own, one for calls in
// each direction, then one for each window.
const [, , logFile = ''] = process.argv;
const run = new EngineInstance(logFile);
const windows = new RPCHandler(router);
const calls = implement(engineContract);

process.parentPort.on('message', ({ data, ports: [first, second] }) => {
  if (first === undefined) return;
  if (data === 'begin' && second !== undefined) begin(first, second);
  if (data === 'window') openWindow(first);
});
// Writing fails when the main process is gone.
process.stderr.on('error', () => undefined);
process.once('SIGTERM', () => void end(0));
// A terminal sends Ctrl-C and its closing to all its processes. The main process decides how to react.
for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);
process.on('uncaughtException', fail);
// Electron would print the error unredacted, keys included, and continue.
process.on('unhandledRejection', fail);
// A worker thread that calls `process.exit` ends only itself, and code that needs it would wait forever.
process.on('worker', (worker) =>
  worker.on('exit', (code) => {
    if (code > 1) fail(new Error(`A thread of the engine ended itself with code ${code}.`));
  }),
);
process.on('exit', noteExit);
reportFatalErrors(logFile);

function begin(taken: Electron.MessagePortMain, incoming: Electron.MessagePortMain): void {
  const native: NativeCalls = createORPCClient(new RPCLink({ port: incoming }));
  // Without its main process the engine has no purpose.
  incoming.on('close', () => void end(0));
  incoming.start();
  const handler = new RPCHandler(
    calls.router({
      open: calls.open.handler(({ input }) => run.open(input, native)),
      sleep: calls.sleep.handler(() => run.gateway?.sleep()),
      wake: calls.wake.handler(() => run.gateway?.wake()),
      close: calls.close.handler(({ input }) => end(input.drainMs)),
    }),
  );
  handler.upgrade(taken);
  taken.start();
}

function openWindow(port: Electron.MessagePortMain): void {
  const context = run.window;
  // A window that connects too early tries again.
  if (context === null) return port.close();
  windows.upgrade(port, { context });
  port.start();
}

function fail(fault: unknown): void {
  run.logFault(fault);
  process.off('exit', noteExit);
  process.exit(1);
}

function noteExit(code: number): void {
  if (code !== 0) run.logFault(new Error(`The engine ended itself with code ${code}.`));
}

async function end(drainMs: number): Promise<void> {
  try {
    await run.close(drainMs);
  } catch (error) {
    run.logFault(error);
  }
  process.exit();
}
