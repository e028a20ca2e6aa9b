/** Maximum wait in milliseconds on a page that is never idle. */
const LATEST_MS = 500;
/** Delay where the browser has no `requestIdleCallback` (Safari). */
const SOON_MS = 30;

/**
 * Calls back when the page is idle, so after it has rendered earlier changes; after half a second at the latest. Returns
 * a function that cancels the call.
 */
export function whenIdle(run: () => void): () => void {
  if ('requestIdleCallback' in globalThis) {
    const handle = requestIdleCallback(run, { timeout: LATEST_MS });
    return () => cancelIdleCallback(handle);
  }
  const timer = setTimeout(run, SOON_MS);
  return () => clearTimeout(timer);
}
