import type { Locator } from '@playwright/test';

/** How a page's frames came. Times in milliseconds. */
export interface Pace {
  /** Between two frames. */
  readonly longest: number;
  /** Share of the time that went into gaps of more than 50 ms, in which typing feels late. */
  readonly late: number;
  /** Between two changes of what was watched, from the first one to the last. */
  readonly still: number;
}

const LATE_MS = 50;

/** Begins to watch the frames of an element's page. What it returns tells how they came since. */
export async function watchFrames(element: Locator): Promise<() => Promise<Pace>> {
  const watch = await element.evaluateHandle((watched, lateMs) => {
    const begin = performance.now();
    const pace = { longest: 0, last: begin, late: 0, begin, still: 0 };
    let changed: number | null = null;
    new MutationObserver(() => {
      const now = performance.now();
      pace.still = Math.max(pace.still, now - (changed ?? now));
      changed = now;
    }).observe(watched, { subtree: true, childList: true, characterData: true });
    const look = (now: number): void => {
      const gap = now - pace.last;
      pace.longest = Math.max(pace.longest, gap);
      if (gap > lateMs) pace.late += gap;
      pace.last = now;
      requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
    return pace;
  }, LATE_MS);
  return async () =>
    await watch.evaluate(({ longest, last, late, begin, still }) => ({
      longest,
      late: late / (last - begin),
      still,
    }));
}
