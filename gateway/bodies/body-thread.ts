import { type ResourceLimits, Worker } from 'node:worker_threads';
import type { BodyRequests, NumberedReply } from './protocol.ts';

/** A failure in the thread. `errcode` is SQLite's extended result code; `null` for any other failure. */
export class BodyThreadError extends Error {
  readonly errcode: number | null;

  constructor(message: string, errcode: number | null) {
    super(message);
    this.errcode = errcode;
  }
}

/**
 * Limits the young objects of the thread, which are many under load. With less, V8 spends as much on collecting them as the thread
 * on its work; the memory is free again when the thread ends, soon after the load.
 */
const MEMORY: ResourceLimits = { maxYoungGenerationSizeMb: 24 };

/** The thread that cleans, compresses and stores bodies. It does not keep the process alive while it has nothing to do. */
export class BodyThread {
  readonly #worker: Worker;
  readonly #pending = new Map<number, PromiseWithResolvers<unknown>>();
  #number = 0;
  #ended: Error | null = null;

  constructor() {
    const name = import.meta.url.endsWith('.ts') ? './worker.ts' : './bodies-worker.js';
    this.#worker = new Worker(new URL(name, import.meta.url), { resourceLimits: MEMORY });
    this.#worker.unref();
    this.#worker.on('message', (reply: NumberedReply) => this.#settle(reply));
    this.#worker.on('error', (error) =>
      this.#end(error instanceof Error ? error : new Error(String(error))),
    );
    this.#worker.on('exit', () => this.#end(new Error('The thread of the bodies has ended.')));
  }

  /** Sends a request. Requests are handled in their order. @throws the error of the thread */
  async request<Kind extends keyof BodyRequests>(
    kind: Kind,
    request: BodyRequests[Kind]['request'],
    transfer: readonly ArrayBuffer[] = [],
  ): Promise<BodyRequests[Kind]['result']> {
    if (this.#ended !== null) throw this.#ended;
    const number = (this.#number += 1);
    // It throws for what cannot be copied; then nothing must wait for an answer.
    this.#worker.postMessage({ kind, number, request }, transfer);
    const answer = Promise.withResolvers<unknown>();
    this.#pending.set(number, answer);
    this.#worker.ref();
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an edge: the thread answers as `BodyRequests` says
    return (await answer.promise) as BodyRequests[Kind]['result'];
  }

  /** Whether the thread has ended, and takes no requests any more. */
  get hasEnded(): boolean {
    return this.#ended !== null;
  }

  /** Ends the thread without closing the database. */
  async end(): Promise<void> {
    await this.#worker.terminate();
  }

  #settle(reply: NumberedReply): void {
    const answer = this.#pending.get(reply.number);
    this.#pending.delete(reply.number);
    if (this.#pending.size === 0) this.#worker.unref();
    if ('error' in reply) answer?.reject(new BodyThreadError(reply.error, reply.errcode));
    else answer?.resolve(reply.result);
  }

  #end(error: Error): void {
    this.#ended ??= error;
    for (const answer of this.#pending.values()) answer.reject(this.#ended);
    this.#pending.clear();
  }
}
