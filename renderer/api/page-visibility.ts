/** Resolves when the page is visible, or when the signal is aborted. */
export function whenVisible(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const check = (): void => {
      if (document.hidden && !signal.aborted) return;
      document.removeEventListener('visibilitychange', check);
      signal.removeEventListener('abort', check);
      resolve();
    };
    document.addEventListener('visibilitychange', check);
    signal.addEventListener('abort', check);
    check();
  });
}

/** Returns a signal that is aborted when the page is hidden, until it is disposed. */
export function abortWhenHidden(): { readonly signal: AbortSignal; readonly release: () => void } {
  const hiding = new AbortController();
  const hide = (): void => {
    if (document.hidden) hiding.abort();
  };
  document.addEventListener('visibilitychange', hide);
  return {
    signal: hiding.signal,
    release: () => document.removeEventListener('visibilitychange', hide),
  };
}
