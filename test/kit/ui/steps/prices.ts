import type { Page } from '@playwright/test';
import { expect } from '../kit.ts';

export function item(page: Page, model: string) {
  return page
    .getByRole('list', { name: 'Prices', exact: true })
    .getByRole('listitem')
    .filter({ hasText: model });
}

export async function addPrice(page: Page, model: string, input: string): Promise<void> {
  await page.getByRole('button', { name: 'Add a price' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add a price' });
  await dialog.getByRole('textbox', { name: 'Model' }).fill(model);
  await dialog.getByRole('textbox', { name: 'Input', exact: true }).fill(input);
  await dialog.getByRole('textbox', { name: 'Output', exact: true }).fill('0');
  await page.keyboard.press('Enter');
  await expect(dialog).toBeHidden();
}
