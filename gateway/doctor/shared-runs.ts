interface Run<Value> {
  readonly result: Promise<Value>;
  readonly stop: AbortController;
  /** Number of callers that wait for it. */
  callers: number;
}

/** Lets callers that ask for the same thing at the same moment share one run. It is stopped when the last of them has left. */
export class SharedRuns<Value> {
  readonly #runs = new Map<string, Run<Value>>();

  /** Joins the run of this name, or starts it. Rejects with the reason of the caller's signal, and with the error of the run. */
  async join(
    name: string,
    start: (signal: AbortSignal) => Promise<Value>,
    signal: AbortSignal | undefined,
  ): Promise<Value> {
    signal?.throwIfAborted();
    const run = this.#runs.get(name) ?? this.#start(name, start);
    run.callers += 1;
    const { promise: left, reject } = Promise.withResolvers<never>();
    const leave = () => reject(signal?.reason);
    signal?.addEventListener('abort', leave);
    try {
      return await Promise.race([run.result, left]);
    } finally {
      signal?.removeEventListener('abort', leave);
      run.callers -= 1;
      if (run.callers === 0) this.#end(name, run);
    }
  }

  #start(name: string, start: (signal: AbortSignal) => Promise<Value>): Run<Value> {
    const stop = new AbortController();
    const run = { result: start(stop.signal), stop, callers: 0 };
    // A run that was left may fail, with nobody waiting.
    run.result.catch(() => undefined);
    this.#runs.set(name, run);
    return run;
  }

  #end(name: string, run: Run<Value>): void {
    // One that was left must not be joined, and a newer one of this name stays.
    if (this.#runs.get(name) === run) this.#runs.delete(name);
    run.stop.abort();
  }
}
