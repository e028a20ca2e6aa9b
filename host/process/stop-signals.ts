const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** npm passes a Ctrl-C on that the terminal has already sent to everybody: two signals this close are one. Milliseconds. */
const ECHO_MS = 200;

/**
 * Calls `ask` with how often this process was asked to stop: 1 at the first SIGINT, SIGTERM or SIGHUP, 2 at the next … A later
 * SIGHUP says nothing new: a closed terminal sends one, and its shell sends it on. The function that it returns stops listening.
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
