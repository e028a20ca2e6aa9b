import type { Page } from '@playwright/test';

/** Timing of a page's frames, in milliseconds. */
export interface FramePace {
  /** Longest time between two frames. */
  readonly longest: number;
  /** Share of time in gaps of more than 50 ms, in which typing feels slow. */
  readonly late: number;
}

const LATE_MS = 50;

/** Starts to record a page's frames. Returns a function that reads the timing since then. */
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
 * Starts to record the text length of the last element that a selector finds. Returns a function that reads the longest time in
 * milliseconds without a new maximum of this length. Text that is only formatted again does not count as growth.
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
