import type { Locator, Page } from '@playwright/test';
import { expect } from '../kit.ts';

export function palette(page: Page): Locator {
  return page.getByRole('textbox', { name: 'Go to' });
}

export function selected(page: Page): Locator {
  return page.getByRole('dialog', { name: 'Go to' }).locator('[data-selected]');
}

export async function openPalette(page: Page, text: string): Promise<void> {
  await page.keyboard.press('Control+k');
  await expect(palette(page)).toBeFocused();
  await page.keyboard.type(text);
}
