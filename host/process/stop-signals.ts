const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/**
 * npm passes on a Ctrl-C that the terminal has already sent to all processes, so two signals within this time count as one. In
 * milliseconds.
 */
const ECHO_MS = 200;

/**
 * Calls `onRequest` with the number of requests to stop so far: 1 at the first SIGINT, SIGTERM or SIGHUP, 2 at the next. A later SIGHUP is
 * ignored: a closed terminal sends one, and its shell sends it again. Returns the function that stops listening.
 */
export function listenForStopSignals(onRequest: (times: number) => void): () => void {
  let times = 0;
  let requestedAt = 0;
  const handle = (signal: NodeJS.Signals): void => {
    const isEcho = performance.now() - requestedAt < ECHO_MS;
    if (times > 0 && (isEcho || signal === 'SIGHUP')) return;
    requestedAt = performance.now();
    times += 1;
    onRequest(times);
  };
  for (const signal of SIGNALS) process.on(signal, handle);
  return () => {
    for (const signal of SIGNALS) process.off(signal, handle);
  };
}
