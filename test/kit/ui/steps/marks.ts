import type { Locator, Page } from '@playwright/test';
import { expect } from '../kit.ts';

export function findRow(page: Page, id: string): Locator {
  return page.locator(`#exchange-${id}`);
}

export function findActions(page: Page): Locator {
  return page.getByRole('group', { name: 'Actions on this request' });
}

export function findPin(row: Locator): Locator {
  return row.getByRole('img', { name: 'Pinned' });
}

export async function expectCount(page: Page, count: string): Promise<void> {
  await expect(page.getByText(count, { exact: true })).toBeVisible();
}
