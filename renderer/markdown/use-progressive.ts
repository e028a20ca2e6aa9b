import { startTransition, useEffect, useState } from 'react';
import { whenIdle } from '../hooks/when-idle.ts';

/**
 * Counts from `first` up to the target in steps and lets the page do other work in between. `stepAfter` returns the size
 * of the next step; the last step may exceed the target.
 */
export function useProgressive(
  first: number,
  target: number,
  stepAfter: (at: number) => number,
): number {
  const [at, setAt] = useState(first);
  useEffect(() => {
    if (at >= target) return;
    return whenIdle(() => startTransition(() => setAt(at + stepAfter(at))));
  }, [at, target, stepAfter]);
  return at;
}
