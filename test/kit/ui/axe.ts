import { expect, type Page } from '@playwright/test';
import axe from 'axe-core';

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** Fails on anything that bars people who see, hear or move differently (WCAG 2.2 AA, as far as a program can tell). */
export async function expectAccessible(page: Page): Promise<void> {
  // A moving element has only part of its contrast until it stops; endless animations are not waited for.
  await page.evaluate(async () => {
    // A colour scheme that has just changed begins to show with the next picture.
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    const ending = document
      .getAnimations()
      .filter(({ effect }) => effect?.getComputedTiming().iterations !== Infinity);
    await Promise.allSettled(ending.map(async ({ finished }) => await finished));
  });
  expect(page.frames(), 'axe sees one frame only').toHaveLength(1);
  const { violations } = await runAxe(page);
  const barriers = violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary ?? ''}`),
  );
  expect(barriers, 'barriers').toEqual([]);
}

/** Runs axe in the page, which receives its source, a large one, only once. */
async function runAxe(page: Page): Promise<axe.AxeResults> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(`${axe.source}; null`);
  const options = { runOnly: RULES, resultTypes: ['violations'] };
  return await page.evaluate(`axe.run(document, ${JSON.stringify(options)})`);
}
