import { startTransition, useEffect, useState } from 'react';
import { whenIdle } from '../hooks/when-idle.ts';

/**
 * Goes from `first` up to what is wanted in steps, between which the page does everything else. `stepAfter` says how much further it goes
 * each time; the last step may lead beyond.
 */
export function useProgressive(
  first: number,
  wanted: number,
  stepAfter: (at: number) => number,
): number {
  const [at, setAt] = useState(first);
  useEffect(() => {
    if (at >= wanted) return;
    return whenIdle(() => startTransition(() => setAt(at + stepAfter(at))));
  }, [at, wanted, stepAfter]);
  return at;
}
