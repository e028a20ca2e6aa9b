import { abortWhenHidden, whenVisible } from './page-visibility.ts';

const FIRST_PAUSE_MS = 400;
const MAX_PAUSE_MS = 5_000;

export interface StreamFollower {
  /** Connects at once instead of after the pause. */
  readonly retryNow: () => void;
  /** Ends the stream and connects no more. */
  readonly close: () => void;
}

/**
 * Reads a stream of the engine until closed, and connects again by itself: after a pause that grows to five seconds, and is short again
 * after a stream that lasted. A hidden page disconnects: it needs no updates, and a browser allows only six connections to one origin. `read`
 * must not reject; its signal is aborted when it is to end, and not when the engine has ended it.
 */
export function followStream(read: (signal: AbortSignal) => Promise<void>): StreamFollower {
  const closing = new AbortController();
  let wake: (() => void) | null = null;
  const wait = (ms: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  const follow = async (): Promise<void> => {
    let pause = FIRST_PAUSE_MS;
    while (!closing.signal.aborted) {
      await whenVisible(closing.signal);
      if (closing.signal.aborted) return;
      const hiding = abortWhenHidden();
      const startedAt = performance.now();
      await read(AbortSignal.any([closing.signal, hiding.signal]));
      hiding.release();
      const lasted = performance.now() - startedAt > MAX_PAUSE_MS;
      pause = lasted ? FIRST_PAUSE_MS : Math.min(pause * 1.6, MAX_PAUSE_MS);
      if (!hiding.signal.aborted && !closing.signal.aborted) await wait(pause);
    }
  };
  void follow();
  return {
    retryNow: () => wake?.(),
    close: () => {
      closing.abort();
      wake?.();
    },
  };
}
