const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Takes the signals as Electron does shortly before `ready`: a handler that the app has registered by then is never called. The first
 * signal of all quits; each one gives its kind back to the system, which ends the process at the next of that kind; another kind
 * is swallowed. A handler that is registered from now on replaces Electron's.
 */
export function takeSignals(quit: () => void): void {
  let isRead = false;
  for (const signal of SIGNALS) {
    process.removeAllListeners(signal);
    let isReplaced = false;
    const handle = (): void => {
      if (isReplaced) return;
      process.off(signal, handle);
      if (!isRead) quit();
      isRead = true;
    };
    process.on(signal, handle);
    process.on('newListener', (event) => {
      if (event === signal) isReplaced = true;
    });
  }
}
