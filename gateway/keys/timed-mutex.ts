/** How long the caller waits (milliseconds), and who gets the value of a call that took longer. */
export interface WaitOptions<Value> {
  readonly ms: number;
  readonly onLateResult: (value: Value) => void;
}

/**
 * Lets one call run at a time. A keychain prompt cannot be cancelled and holds a thread until a person answers it:
 * the call keeps its turn, the caller leaves.
 */
export class TimedMutex {
  readonly #onLateError: (error: unknown) => void;
  #busy: Promise<unknown> | null = null;

  constructor(onLateError: (error: unknown) => void) {
    this.#onLateError = onLateError;
  }

  /**
   * Runs `call` when the one before has ended. Resolves with its value, or with `null` when `ms` passed first.
   * A call that had begun by then goes on, and its value is handed to `late`.
   */
  async runWithin<Value>(
    call: () => Promise<Value>,
    { ms, onLateResult: late }: WaitOptions<Value>,
  ): Promise<Value | null> {
    const deadline = createDeadline(ms);
    try {
      while (this.#busy !== null) {
        await Promise.race([this.#busy, deadline.passed]);
        if (deadline.isOver()) {
          return null;
        }
      }
      const running = this.#run(call);
      const value = await Promise.race([running.then((got) => ({ got })), deadline.passed]);
      if (value === null) {
        running.then(late).catch(this.#onLateError);
      }
      return value?.got ?? null;
    } finally {
      deadline.stop();
    }
  }

  #run<Value>(call: () => Promise<Value>): Promise<Value> {
    const running = call();
    const free = () => {
      this.#busy = null;
    };
    this.#busy = running.then(free, free);
    return running;
  }
}

function createDeadline(ms: number) {
  const { promise, resolve } = Promise.withResolvers<null>();
  let over = false;
  const timer = setTimeout(() => {
    over = true;
    resolve(null);
  }, ms);
  return { passed: promise, isOver: () => over, stop: () => clearTimeout(timer) };
}
