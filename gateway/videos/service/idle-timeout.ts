/** A signal that is aborted when another one is, or when time is up. */
export interface IdleTimeout {
  readonly signal: AbortSignal;
  /** Whether time is up. */
  readonly isOver: boolean;
  /** From now on there is so much time again. */
  renew(ms: number): void;
  /** Nothing is waited for any more. */
  end(): void;
}

export function startIdleTimeout(stop: AbortSignal, ms: number): IdleTimeout {
  const controller = new AbortController();
  const leave = () => controller.abort(stop.reason);
  let isOver = false;
  const run = (time: number) =>
    setTimeout(() => {
      isOver = true;
      controller.abort(new Error('Time is up.'));
    }, time);
  let timer = run(ms);
  stop.addEventListener('abort', leave);
  if (stop.aborted) leave();
  return {
    signal: controller.signal,
    get isOver() {
      return isOver;
    },
    renew: (time) => {
      clearTimeout(timer);
      timer = run(time);
    },
    end: () => {
      clearTimeout(timer);
      stop.removeEventListener('abort', leave);
    },
  };
}
