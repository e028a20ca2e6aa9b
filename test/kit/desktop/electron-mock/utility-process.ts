import { Worker } from 'node:worker_threads';
import type { FromUtility, ToUtility } from './utility.ts';
import { StrictMock } from './strict-mock.ts';
import type { UtilityFault } from './transport/messages.ts';
import { type Parcel } from './transport/pipe.ts';
import { messageOf } from './transport/ports.ts';
import { Relay } from './transport/relay.ts';
import { RpcChannel } from './transport/rpc-channel.ts';

/** The way to the process that forked this one. Messages wait until somebody listens. */
class ParentPort extends StrictMock {
  readonly #relay = new Relay('u', {
    portMessage: (letter) => this.#channel.tell('portMessage', letter),
    portClosed: (port) => this.#channel.tell('portClosed', port),
  });
  readonly #channel: RpcChannel<FromUtility>;
  readonly #waiting: Parcel[] = [];

  constructor() {
    super('parentPort', ['message']);
    this.#channel = new RpcChannel<FromUtility>(process, {
      message: ({ data, ports }) => {
        this.#waiting.push({ data, ends: ports.map((port) => this.#relay.arrive(port)) });
        this.#deliver();
      },
      portMessage: (letter) => this.#relay.portMessage(letter),
      portClosed: (port) => this.#relay.portClosed(port),
      lives: () => undefined,
      fault: (fault) => void setImmediate(() => fail(fault)),
    } satisfies ToUtility);
    this.on('newListener', () => queueMicrotask(() => this.#deliver()));
  }

  postMessage(data: unknown, ...more: readonly unknown[]): void {
    if (more.length > 0) throw new TypeError('parentPort.postMessage takes no list of transfers');
    this.#channel.tell('message', { data });
  }

  #deliver(): void {
    if (this.listenerCount('message') === 0) return;
    for (const parcel of this.#waiting.splice(0)) this.emit('message', messageOf(parcel));
  }
}

function fail({ how, message }: UtilityFault): void {
  switch (how) {
    case 'thrown':
      throw new Error(message);
    case 'rejected':
      void Promise.reject(new Error(message));
      return;
    case 'exit':
      process.exit(7);
    case 'thread':
      new Worker('process.exit(7)', { eval: true }).unref();
      return;
    case 'out of memory':
      for (const held: unknown[] = []; ;) held.push(Array.from({ length: 100_000 }, Math.random));
  }
}

Object.assign(process, { parentPort: new ParentPort() });
// A utility process does not outlive the app.
process.on('disconnect', () => process.exit());
