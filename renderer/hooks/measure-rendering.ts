/** Shortest reported time: clocks of browsers are coarse. */
const MIN_MS = 0.5;

/**
 * Measures the time from now to the end of the current task, and that of the next frame with its callbacks, style, layout and
 * paint. Call it in a layout effect. Reports the sum in milliseconds, later; returns a function that cancels this.
 */
export function measureRendering(report: (ms: number) => void): () => void {
  const channel = new MessageChannel();
  const start = performance.now();
  let committed = start;
  let frameStart = start;
  queueMicrotask(() => (committed = performance.now()));
  const frame = requestAnimationFrame((now) => {
    // Callbacks before this one may have forced the layout.
    frameStart = Math.max(now, committed);
    // This message arrives after the frame is painted.
    channel.port2.postMessage(null);
  });
  channel.port1.addEventListener('message', () => {
    channel.port1.close();
    report(Math.max(MIN_MS, committed - start + performance.now() - frameStart));
  });
  channel.port1.start();
  return () => {
    cancelAnimationFrame(frame);
    channel.port1.close();
  };
}
