/** Does one piece of work after the other, in the order of asking. */
export type RunExclusive = <Value>(work: () => Promise<Value>) => Promise<Value>;

export function createMutex(): RunExclusive {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(work);
    // The next one does its work whatever became of this one, whose caller hears of it.
    last = mine.catch(() => undefined);
    return mine;
  };
}
