import type { ChildProcess } from 'node:child_process';

/** The functions that one end of a channel offers, by name. */
type RpcHandlers<Calls> = { [Name in keyof Calls]: (ask: never) => unknown };

type RpcMessage =
  | { readonly kind: 'ask'; readonly id: number; readonly name: string; readonly ask: unknown }
  | { readonly kind: 'tell'; readonly name: string; readonly ask: unknown }
  | { readonly kind: 'answer'; readonly id: number; readonly answer: unknown }
  | { readonly kind: 'fault'; readonly id: number; readonly fault: string };

/** The two ends are of one make and start together: what arrives is what the other end sent. */
function isRpcMessage(value: unknown): value is RpcMessage {
  return typeof value === 'object' && value !== null && 'kind' in value;
}

/** One end of the RPC channel between two processes. Values are cloned, never shared. */
export class RpcChannel<Theirs extends RpcHandlers<Theirs>> {
  readonly #end: ChildProcess | NodeJS.Process;
  readonly #mine: object;
  readonly #open = new Map<number, PromiseWithResolvers<never>>();
  #lastId = 0;

  constructor(end: ChildProcess | NodeJS.Process, mine: object) {
    this.#end = end;
    this.#mine = mine;
    end.on('message', (value: unknown) => {
      if (isRpcMessage(value)) void this.#take(value);
    });
    end.on('disconnect', () => {
      for (const { reject } of this.#open.values()) reject(new Error('The other process ended.'));
      this.#open.clear();
    });
  }

  /** Resolves with the other end's answer; rejects with what was thrown there, or when it ends. */
  async ask<Name extends keyof Theirs & string>(
    name: Name,
    ask: Parameters<Theirs[Name]>[0],
  ): Promise<Awaited<ReturnType<Theirs[Name]>>> {
    const asking = Promise.withResolvers<never>();
    const id = (this.#lastId += 1);
    this.#open.set(id, asking);
    if (!this.#send({ kind: 'ask', id, name, ask })) {
      this.#open.delete(id);
      throw new Error(`The other process ended before "${name}".`);
    }
    return await asking.promise;
  }

  /** Asks without waiting for an answer. A message to an end that has ended is lost. */
  tell<Name extends keyof Theirs & string>(name: Name, ask: Parameters<Theirs[Name]>[0]): void {
    this.#send({ kind: 'tell', name, ask });
  }

  #send(letter: RpcMessage): boolean {
    if (!this.#end.connected) return false;
    // A message to a process that ends just now is lost.
    this.#end.send?.(letter, undefined, undefined, () => undefined);
    return true;
  }

  async #take(letter: RpcMessage): Promise<void> {
    switch (letter.kind) {
      case 'tell':
        await this.#call(letter.name, letter.ask);
        return;
      case 'ask':
        await this.#reply(letter.id, letter.name, letter.ask);
        return;
      case 'answer':
        Reflect.apply(this.#settler(letter.id).resolve, undefined, [letter.answer]);
        return;
      case 'fault':
        this.#settler(letter.id).reject(new Error(letter.fault));
    }
  }

  async #reply(id: number, name: string, ask: unknown): Promise<void> {
    try {
      this.#send({ kind: 'answer', id, answer: await this.#call(name, ask) });
    } catch (error) {
      this.#send({
        kind: 'fault',
        id,
        fault: error instanceof Error ? error.message : String(error),
      });
    }
  }

  #call(name: string, ask: unknown): unknown {
    const call: unknown = Reflect.get(this.#mine, name);
    if (typeof call !== 'function') throw new Error(`Nobody answers "${name}".`);
    return Reflect.apply(call, this.#mine, [ask]);
  }

  #settler(id: number): PromiseWithResolvers<never> {
    const asking = this.#open.get(id);
    if (asking === undefined) throw new Error('An answer came that nobody asked for.');
    this.#open.delete(id);
    return asking;
  }
}
