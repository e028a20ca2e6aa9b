import type { Locator, Page } from '@playwright/test';
import { expect } from '../kit.ts';
import type { Harness } from '../harness.ts';

export async function openExchange(page: Page, harness: Harness, id: string): Promise<void> {
  await harness.open(page, `/history?exchange=${id}`);
  await expect(page.getByRole('heading', { name: 'Request', exact: true })).toBeVisible();
}

export function section(page: Page, name: 'Request' | 'Response'): Locator {
  return page.getByRole('region', { name, exact: true });
}

export async function choose(within: Locator, view: string): Promise<void> {
  await within.locator('label').getByText(view, { exact: true }).click();
}
