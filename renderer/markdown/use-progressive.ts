import { startTransition, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { measureRendering } from '../hooks/measure-rendering.ts';
import { whenIdle } from '../hooks/when-idle.ts';

/** Time that a step may take to commit, lay out and paint, in milliseconds. With the rest of a frame it stays below 50. */
const BUDGET_MS = 16;
/** Limit of how much larger a step is than the previous one: the next part may be more expensive. */
const MAX_GROWTH = 1.5;

interface Progress {
  readonly first: number;
  readonly target: number;
  readonly minStep: number;
  readonly maxStep: number;
}

/**
 * Counts from `first` up to a step beyond the target and lets the page do other work in between. The size of a step follows
 * the time that the previous one took.
 */
export function useProgressive({ first, target, minStep, maxStep }: Progress): number {
  const [at, setAt] = useState(first);
  const step = useRef(minStep);
  useLayoutEffect(() => {
    if (at === first) return undefined;
    return measureRendering((ms) => {
      const next = step.current * Math.min(BUDGET_MS / ms, MAX_GROWTH);
      step.current = Math.round(Math.min(Math.max(next, minStep), maxStep));
    });
  }, [at, first, minStep, maxStep]);
  useEffect(() => {
    // Slightly beyond the target, so that what arrives slowly is shown at once.
    if (at >= target + step.current) return undefined;
    return whenIdle(() => startTransition(() => setAt(at + step.current)));
  }, [at, target]);
  return at;
}
