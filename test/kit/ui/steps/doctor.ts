import type { Locator, Page } from '@playwright/test';
import { expect } from '../kit.ts';

export function panel(page: Page, name: string): Locator {
  return page.getByRole('region', { name, exact: true });
}

export function result(page: Page): Locator {
  return page.getByRole('status', { name: 'Result', exact: true });
}

export async function whenChecked(page: Page): Promise<void> {
  await expect(page.getByRole('button', { name: 'Check again' })).toBeVisible();
}
