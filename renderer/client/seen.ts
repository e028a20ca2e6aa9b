/** Resolves when somebody can see the page, or when the signal is aborted. */
export function seen(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (document.hidden && !signal.aborted) return;
      document.removeEventListener('visibilitychange', look);
      signal.removeEventListener('abort', look);
      resolve();
    };
    document.addEventListener('visibilitychange', look);
    signal.addEventListener('abort', look);
    look();
  });
}

/** An abort when nobody can see the page any more, until it is let go of. */
export function untilHidden(): { readonly signal: AbortSignal; readonly letGo: () => void } {
  const hiding = new AbortController();
  const hide = (): void => {
    if (document.hidden) hiding.abort();
  };
  document.addEventListener('visibilitychange', hide);
  return {
    signal: hiding.signal,
    letGo: () => document.removeEventListener('visibilitychange', hide),
  };
}
