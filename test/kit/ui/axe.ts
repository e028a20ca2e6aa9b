import { AxeBuilder } from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';

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
  // A page without frames needs no second page to gather their results in, and only what is wrong is told.
  expect(page.frames(), 'frames').toHaveLength(1);
  const { violations } = await new AxeBuilder({ page })
    .options({ resultTypes: ['violations'] })
    .withTags(RULES)
    .setLegacyMode()
    .analyze();
  const barriers = violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary ?? ''}`),
  );
  expect(barriers, 'barriers').toEqual([]);
}
