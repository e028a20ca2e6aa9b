import type { UpstreamBody } from '../../http/upstream-body.ts';

/** An answer that began and did not end. */
export class StreamInterruptedError extends Error {
  override readonly name = 'BrokenOff';
}

/** The pieces of a body at the pace of whoever takes them. Leaving early closes the connection. Throws BrokenOff. */
export async function* readChunks(body: UpstreamBody): AsyncGenerator<Buffer, void, undefined> {
  const come: Buffer[] = [];
  const endings: (Error | null)[] = [];
  let wake = Promise.withResolvers<void>();
  const finish = (error: Error | null) => {
    endings.push(error);
    wake.resolve();
  };
  body.read({
    data: (piece) => {
      // A paused parser that is resumed before more has come hands over nothing; a pause for that would go on for ever.
      if (piece.length === 0) return true;
      come.push(piece);
      wake.resolve();
      return false;
    },
    end: () => finish(null),
    fail: finish,
  });
  try {
    for (;;) {
      const piece = come.shift();
      const [ending] = endings;
      if (piece !== undefined) yield piece;
      else if (ending === undefined) {
        wake = Promise.withResolvers();
        body.resume();
        await wake.promise;
      } else if (ending === null) return;
      else throw new StreamInterruptedError('The answer broke off.', { cause: ending });
    }
  } finally {
    body.abort(new Error('The rest of the answer was not needed.'));
  }
}
