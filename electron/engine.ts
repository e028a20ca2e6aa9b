import { createORPCClient } from '@orpc/client';
import { RPCLink } from '@orpc/client/message-port';
import { implement } from '@orpc/server';
import { RPCHandler } from '@orpc/server/message-port';
import { router } from '../gateway/api/api.ts';
import { engineContract } from './engine-contract.ts';
import { EngineRun, type Native } from './engine-run.ts';

// The engine's process. The main process hands over ports: first two of its own, for its calls and for ours, then one for each window.
const run = new EngineRun();
const windows = new RPCHandler(router);
const calls = implement(engineContract);

process.parentPort.on('message', ({ data, ports: [first, second] }) => {
  if (first === undefined) return;
  if (data === 'begin' && second !== undefined) begin(first, second);
  if (data === 'window') openWindow(first);
});

function begin(taken: Electron.MessagePortMain, asked: Electron.MessagePortMain): void {
  const native: Native = createORPCClient(new RPCLink({ port: asked }));
  asked.start();
  const handler = new RPCHandler(
    calls.router({
      open: calls.open.handler(({ input }) => run.open(input, native)),
      close: calls.close.handler(({ input }) => run.close(input.drainMs)),
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
