/** Resolves when the promise has settled in either way, or after `ms`. */
export async function waitAtMost(promise: Promise<unknown>, ms: number): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([Promise.allSettled([promise]), late]);
  clearTimeout(timer);
}

/** Resolves or rejects as the promise does, but rejects as soon as the signal is aborted, even when the promise never settles. */
export async function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const stop = () => reject(signal.reason);
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
  return Promise.race([promise, aborted]).finally(() => signal.removeEventListener('abort', stop));
}
