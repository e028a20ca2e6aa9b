import type { Page } from '@playwright/test';

export const LOCAL_KEY = /gh-[\w-]{20,}/u;

/** Goes through the second step: picks a program and makes its local key, which it returns. */
export async function connect(page: Page, program: string): Promise<string> {
  await page.getByRole('combobox', { name: 'Program' }).click();
  await page.getByRole('option', { name: program, exact: true }).click();
  await page.getByRole('button', { name: 'Create local key' }).click();
  const shown = page.getByRole('alert').filter({ hasText: 'The local key of' }).locator('code');
  return LOCAL_KEY.exec((await shown.textContent()) ?? '')?.[0] ?? '';
}
