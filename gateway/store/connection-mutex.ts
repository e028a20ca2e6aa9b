/** Gives the one connection to one holder after the other, in the order of asking. */
export interface ConnectionMutex {
  /** Resolves when it is this caller's turn, with what ends it. */
  acquire(): Promise<() => void>;
}

export function createConnectionMutex(): ConnectionMutex {
  let last: Promise<void> = Promise.resolve();
  const take = async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const before = last;
    last = promise;
    await before;
    return resolve;
  };
  return { acquire: take };
}
