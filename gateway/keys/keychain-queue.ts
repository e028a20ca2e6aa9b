export interface KeychainCallOptions<Value> {
  /** How long the caller waits, in milliseconds. */
  readonly ms: number;
  /** Receives the value of a call that took longer. */
  readonly onLateResult: (value: Value) => void;
}

/**
 * Runs one keychain call at a time, each with a deadline for its caller. A prompt of the keychain cannot be cancelled and
 * holds a thread until a person answers it, so a late call stays the running one while its caller continues. A mutex with a
 * timeout would keep every caller that gave up in its queue.
 */
export class KeychainQueue {
  readonly #onLateError: (error: unknown) => void;
  #busy: Promise<unknown> | null = null;

  constructor(onLateError: (error: unknown) => void) {
    this.#onLateError = onLateError;
  }

  /**
   * Runs `call` when the previous one has ended. Resolves with its value, or with `null` when `ms` passed first. A call that
   * had started by then continues, and its value goes to `onLateResult`.
   */
  async run<Value>(
    call: () => Promise<Value>,
    { ms, onLateResult }: KeychainCallOptions<Value>,
  ): Promise<Value | null> {
    const deadline = createDeadline(ms);
    try {
      while (this.#busy !== null) {
        await Promise.race([this.#busy, deadline.passed]);
        if (deadline.isOver()) {
          return null;
        }
      }
      const running = this.#start(call);
      const value = await Promise.race([running.then((got) => ({ got })), deadline.passed]);
      if (value === null) {
        running.then(onLateResult).catch(this.#onLateError);
      }
      return value?.got ?? null;
    } finally {
      deadline.stop();
    }
  }

  #start<Value>(call: () => Promise<Value>): Promise<Value> {
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
  let settled = false;
  const timer = setTimeout(() => {
    settled = true;
    resolve(null);
  }, ms);
  return { passed: promise, isOver: () => settled, stop: () => clearTimeout(timer) };
}
