import { createORPCClient } from '@orpc/client';
import { RPCLink } from '@orpc/client/message-port';
import { implement } from '@orpc/server';
import { RPCHandler } from '@orpc/server/message-port';
import { router } from '../../gateway/api/api.ts';
import { ignoreDebugSignal } from '../../host/process/debug-signal.ts';
import { engineContract } from '../../host/engine/engine-contract.ts';
import { reportFatalErrors } from '../../host/log/fatal-report.ts';
import { EngineInstance, type NativeCalls } from '../../host/engine/engine-instance.ts';

ignoreDebugSignal();
// The engine's process. The main process names the log that it keeps, and hands over ports: first two of its own, for its calls and for
// ours, then one for each window.
const [, , logFile = ''] = process.argv;
const run = new EngineInstance(logFile);
const windows = new RPCHandler(router);
const calls = implement(engineContract);

process.parentPort.on('message', ({ data, ports: [first, second] }) => {
  if (first === undefined) return;
  if (data === 'begin' && second !== undefined) begin(first, second);
  if (data === 'window') openWindow(first);
});
// Nobody reads any more when the main process is gone.
process.stderr.on('error', () => undefined);
process.once('SIGTERM', () => void end(0));
// A terminal tells all its processes of a Ctrl-C, and that it closes. The main process decides what comes of it.
for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);
process.on('uncaughtException', fail);
// Electron would print it as it is, keys and all, and go on.
process.on('unhandledRejection', fail);
// A thread that ends the way a process does has ended nothing but itself, and what needs it waits for ever.
process.on('worker', (worker) =>
  worker.on('exit', (code) => {
    if (code > 1) fail(new Error(`A thread of the engine ended itself with code ${code}.`));
  }),
);
process.on('exit', noteExit);
reportFatalErrors(logFile);

function begin(taken: Electron.MessagePortMain, asked: Electron.MessagePortMain): void {
  const native: NativeCalls = createORPCClient(new RPCLink({ port: asked }));
  // Without its main process it has nobody to run for.
  asked.on('close', () => void end(0));
  asked.start();
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
  // A window that came too early tries again.
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
