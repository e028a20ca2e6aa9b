/** Returns a function that runs the task after a delay, once for all calls until then. */
export function later(ms: number, task: () => void): () => void {
  let isDue = false;
  return () => {
    if (isDue) return;
    isDue = true;
    setTimeout(() => {
      isDue = false;
      task();
    }, ms);
  };
}
