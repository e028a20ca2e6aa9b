import type { Page } from '@playwright/test';
import { expect } from '../kit.ts';
import { pixel } from '../video-steps.ts';

export const images = (page: Page) =>
  page.getByRole('list', { name: 'Images' }).getByRole('listitem');

/** Gives images to the form like the file dialog does. */
export async function pick(page: Page, ...names: string[]): Promise<void> {
  await page.locator('input[type="file"]').setInputFiles(names.map(pixel));
  for (const name of names) await expect(images(page).filter({ hasText: name })).toBeVisible();
  await expect(images(page).getByRole('progressbar')).toHaveCount(0);
}

export const submit = (page: Page) => page.getByRole('button', { name: /^Order .*…$/u });
