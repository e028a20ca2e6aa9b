/** Of a page that always has something to do. */
const LATEST_MS = 500;
/** Where the browser does not tell (Safari). */
const SOON_MS = 30;

/**
 * Calls once the page has nothing else to do, so after it has shown what it did before; after half a second at the latest. Returns what
 * calls it off.
 */
export function whenIdle(run: () => void): () => void {
  if ('requestIdleCallback' in globalThis) {
    const asked = requestIdleCallback(run, { timeout: LATEST_MS });
    return () => cancelIdleCallback(asked);
  }
  const timer = setTimeout(run, SOON_MS);
  return () => clearTimeout(timer);
}
