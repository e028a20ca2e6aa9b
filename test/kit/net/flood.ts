import type { Socket } from 'node:net';

/** Bytes being written as fast as the other side takes them. */
export interface Flood {
  /** Bytes that were handed over so far. */
  readonly written: number;
  /** Resolves when all of them were handed over, or the connection is gone. */
  readonly done: Promise<void>;
}

/** Writes `piece` again and again, `times` times, and waits whenever the other side is slow. */
export function flood(socket: Socket, piece: Buffer, times: number): Flood {
  let written = 0;
  const run = async (): Promise<void> => {
    for (let i = 0; i < times && !socket.destroyed; i += 1) {
      if (!socket.write(piece)) await whenDrained(socket);
      written += piece.length;
    }
  };
  const done = run();
  return {
    get written() {
      return written;
    },
    done,
  };
}

/** Resolves when there is room again, or nobody to write to any more. */
function whenDrained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      socket.off('drain', done).off('close', done);
      resolve();
    };
    socket.on('drain', done).on('close', done);
  });
}

/** Resolves when a number has stopped growing: it stayed the same while `tick` came back forty times. */
export async function whenSettled(
  read: () => number,
  tick: () => Promise<unknown>,
): Promise<number> {
  let same = 0;
  let last = read();
  while (same < 40) {
    await tick();
    const now = read();
    same = now === last ? same + 1 : 0;
    last = now;
  }
  return last;
}
