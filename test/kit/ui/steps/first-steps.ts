import type { Page } from '@playwright/test';

export const LOCAL_KEY = /gh-[\w-]{20,}/u;

/** Chooses a program in the list of the second step. */
export async function pick(page: Page, program: string): Promise<void> {
  const name = new RegExp(`^${program}(?! Code| \\()`, 'u');
  await page.getByRole('main').getByRole('button', { name }).click();
}

/** Goes through the second step: picks a program and makes its local key, which it returns. */
export async function connect(page: Page, program: string): Promise<string> {
  await pick(page, program);
  const byHand = page.getByRole('button', { name: 'Set it up by hand' });
  const create = page.getByRole('button', { name: 'Create local key' });
  await byHand.or(create).waitFor();
  if (await byHand.isVisible()) await byHand.click();
  await create.click();
  const shown = page.getByRole('alert').filter({ hasText: 'The local key of' }).locator('code');
  return LOCAL_KEY.exec((await shown.textContent()) ?? '')?.[0] ?? '';
}
