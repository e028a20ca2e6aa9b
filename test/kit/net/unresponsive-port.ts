import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';

/** Listens with the shortest queue there is and then does nothing any more, so that nobody takes connections out of the queue. */
const LISTENER = `
  const { createServer } = require('node:net');
  const { parentPort } = require('node:worker_threads');
  const server = createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    parentPort.postMessage(server.address().port);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  });
`;

/** More connections than the queue of the listener holds. */
const CROWD = 8;

/** A port whose listener neither accepts nor refuses another connection: the queue is full. */
export interface UnresponsivePort extends AsyncDisposable {
  readonly port: number;
}

export async function openUnresponsivePort(): Promise<UnresponsivePort> {
  const worker = new Worker(LISTENER, { eval: true });
  const [port] = await once(worker, 'message');
  const crowd: Socket[] = [];
  for (let index = 0; index < CROWD; index += 1) {
    const socket = connect(Number(port), '127.0.0.1');
    socket.on('error', () => undefined);
    crowd.push(socket);
  }
  await once(crowd[0] ?? worker, 'connect');
  return {
    port: Number(port),
    [Symbol.asyncDispose]: async () => {
      for (const socket of crowd) socket.destroy();
      await worker.terminate();
    },
  };
}
