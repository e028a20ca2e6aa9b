import type { Page } from '@playwright/test';

/** How a page's frames came. Times in milliseconds. */
export interface Pace {
  /** Between two frames. */
  readonly longest: number;
  /** Share of the time that went into gaps of more than 50 ms, in which typing feels late. */
  readonly late: number;
}

const LATE_MS = 50;

/** Begins to watch a page's frames. What it returns tells how they came since. */
export async function watchFrames(page: Page): Promise<() => Promise<Pace>> {
  const watch = await page.evaluateHandle((lateMs) => {
    const begin = performance.now();
    const pace = { longest: 0, last: begin, late: 0, begin };
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
    await watch.evaluate(({ longest, last, late, begin }) => ({
      longest,
      late: late / (last - begin),
    }));
}
