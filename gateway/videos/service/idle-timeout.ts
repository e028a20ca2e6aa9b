/** A signal that is aborted with another one, or after an idle time. */
export interface IdleTimeout {
  readonly signal: AbortSignal;
  /** Whether the idle time has passed. */
  readonly isOver: boolean;
  /** Restarts the idle time. */
  renew(ms: number): void;
  /** Ends the timeout. */
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
