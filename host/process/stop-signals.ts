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
  let isEcho = false;
  const handle = (signal: NodeJS.Signals): void => {
    if (isEcho || (times > 0 && signal === 'SIGHUP')) return;
    isEcho = true;
    // Signals that arrived while this process was busy are delivered between a timer that is due and the immediate that it sets.
    setTimeout(() => setImmediate(() => (isEcho = false)), ECHO_MS).unref();
    times += 1;
    onRequest(times);
  };
  for (const signal of SIGNALS) process.on(signal, handle);
  return () => {
    for (const signal of SIGNALS) process.off(signal, handle);
  };
}
