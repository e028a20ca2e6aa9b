import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { z } from 'zod';
import { type CallMessage, ReplyMessage } from './processes/serve-parent.ts';

/** A process of the bench. Disposing it closes its resources and waits for its end. */
export interface Child extends AsyncDisposable {
  readonly pid: number;
  /** Calls a function of the process and validates the result. Rejects with the error of the process, or when it ended. */
  call<Shape extends z.ZodType>(
    kind: string,
    input: unknown,
    shape: Shape,
  ): Promise<z.infer<Shape>>;
}

interface PendingCall {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** Starts a module as a child process with these Node flags. */
export function startChild(module: URL, nodeFlags: readonly string[] = []): Child {
  const child = fork(module, {
    execArgv: ['--disable-warning=DEP0060', ...nodeFlags],
    serialization: 'advanced',
  });
  const waiting = new Map<number, PendingCall>();
  const ended = once(child, 'exit');
  let lastId = 0;
  child.on('message', (message) => {
    const { id, value, error } = ReplyMessage.parse(message);
    const pendingCall = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) pendingCall?.resolve(value);
    else pendingCall?.reject(new Error(error));
  });
  child.on('exit', (code) => {
    for (const pendingCall of waiting.values()) {
      pendingCall.reject(new Error(`${module.pathname} ended with ${code} before it answered.`));
    }
  });
  return {
    pid: child.pid ?? 0,
    call: async (kind, input, shape) => {
      const { promise, resolve, reject } = Promise.withResolvers<unknown>();
      const question: CallMessage = { id: ++lastId, kind, input };
      waiting.set(question.id, { resolve, reject });
      child.send(question);
      return shape.parse(await promise);
    },
    [Symbol.asyncDispose]: async () => {
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}
