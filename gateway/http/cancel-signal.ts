/** The part of an AbortSignal that the path of a request uses. Every AbortSignal is one. */
export interface CancelSignal {
  readonly aborted: boolean;
  /** The reason that `abort` was called with. */
  readonly reason: unknown;
  /** @throws the reason, once it is aborted. */
  throwIfAborted(): void;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/**
 * A signal that is its own controller. Every request has one and hardly any is aborted, and an AbortController with one listener costs
 * several times as much to create.
 */
export class CancelSource implements CancelSignal {
  #aborted = false;
  #reason: unknown;
  #listeners: (() => void)[] = [];

  get aborted(): boolean {
    return this.#aborted;
  }

  get reason(): unknown {
    return this.#reason;
  }

  throwIfAborted(): void {
    if (this.#aborted) throw this.#reason;
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    if (!this.#listeners.includes(listener)) this.#listeners.push(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    const at = this.#listeners.indexOf(listener);
    if (at !== -1) this.#listeners.splice(at, 1);
  }

  /** Calls every listener, once; a second call has no effect. */
  abort(reason: Error): void {
    if (this.#aborted) return;
    this.#aborted = true;
    this.#reason = reason;
    const listeners = this.#listeners;
    this.#listeners = [];
    for (const listener of listeners) listener();
  }
}

/** Returns an AbortSignal that is aborted with a signal, for functions outside the path of a request. */
export function toAbortSignal(signal: CancelSignal): AbortSignal {
  if (signal instanceof AbortSignal) return signal;
  const controller = new AbortController();
  const abort = (): void => controller.abort(signal.reason);
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort);
  return controller.signal;
}
