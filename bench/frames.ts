import type { Page } from '@playwright/test';

/** How a page's frames came. Times in milliseconds. */
export interface FramePace {
  /** Between two frames. */
  readonly longest: number;
  /** Share of the time that went into gaps of more than 50 ms, in which typing feels late. */
  readonly late: number;
}

const LATE_MS = 50;

/** Begins to watch a page's frames. What it returns tells how they came since. */
export async function watchFrames(page: Page): Promise<() => Promise<FramePace>> {
  const watch = await page.evaluateHandle((lateMs) => {
    const begin = performance.now();
    const pace = { longest: 0, last: begin, late: 0, begin };
    const onFrame = (now: number): void => {
      const gap = now - pace.last;
      pace.longest = Math.max(pace.longest, gap);
      if (gap > lateMs) pace.late += gap;
      pace.last = now;
      requestAnimationFrame(onFrame);
    };
    requestAnimationFrame(onFrame);
    return pace;
  }, LATE_MS);
  return async () =>
    await watch.evaluate(({ longest, last, late, begin }) => ({
      longest,
      late: late / (last - begin),
    }));
}

/**
 * Begins to watch the last element that a selector finds. What it returns tells the longest time, in milliseconds, that its text took to
 * become longer than ever before. A text that is only formatted anew does not grow.
 */
export async function watchGrowth(page: Page, selector: string): Promise<() => Promise<number>> {
  const watch = await page.evaluateHandle((watched) => {
    const growth = { still: 0, most: 0, last: 0 };
    const onFrame = (): void => {
      const length = [...document.querySelectorAll(watched)].at(-1)?.textContent.length ?? 0;
      if (length <= growth.most) return;
      const now = performance.now();
      if (growth.most > 0) growth.still = Math.max(growth.still, now - growth.last);
      growth.most = length;
      growth.last = now;
    };
    const everything = { subtree: true, childList: true, characterData: true };
    new MutationObserver(onFrame).observe(document.body, everything);
    return growth;
  }, selector);
  return async () => await watch.evaluate(({ still }) => still);
}
