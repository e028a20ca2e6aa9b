import type { UpstreamBody } from '../../http/upstream-body.ts';

/** A response that broke off. */
export class StreamInterruptedError extends Error {
  override readonly name = 'StreamInterruptedError';
}

/** Iterates over the chunks of a body, with back-pressure. Ending early closes the connection. @throws StreamInterruptedError */
export async function* readChunks(body: UpstreamBody): AsyncGenerator<Buffer, void, undefined> {
  const come: Buffer[] = [];
  const endings: (Error | null)[] = [];
  let wake = Promise.withResolvers<void>();
  const finish = (error: Error | null) => {
    endings.push(error);
    wake.resolve();
  };
  body.read({
    data: (chunk) => {
      // A parser that is paused and resumed before more data came emits nothing, so a pause could last for ever.
      if (chunk.length === 0) return true;
      come.push(chunk);
      wake.resolve();
      return false;
    },
    end: () => finish(null),
    fail: finish,
  });
  try {
    for (;;) {
      const chunk = come.shift();
      const [ending] = endings;
      if (chunk !== undefined) yield chunk;
      else if (ending === undefined) {
        wake = Promise.withResolvers();
        body.resume();
        await wake.promise;
      } else if (ending === null) return;
      else throw new StreamInterruptedError('The response was interrupted.', { cause: ending });
    }
  } finally {
    body.abort(new Error('The rest of the response was not needed.'));
  }
}
