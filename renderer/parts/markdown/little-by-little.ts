import { startTransition, useEffect, useState } from 'react';
import { whenIdle } from '../when-idle.ts';

/** Goes up to what is wanted in steps, between which the page does everything else. `stepAfter` says how far it goes next. */
export function useLittleByLittle(wanted: number, stepAfter: (at: number) => number): number {
  const [at, setAt] = useState(() => stepAfter(0));
  useEffect(() => {
    if (at >= wanted) return;
    return whenIdle(() => startTransition(() => setAt(at + stepAfter(at))));
  }, [at, wanted, stepAfter]);
  return at;
}
