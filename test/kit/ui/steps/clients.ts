import type { Page } from '@playwright/test';
import { expect } from '../kit.ts';

export function row(page: Page, name: string) {
  return page
    .getByRole('table', { name: 'Clients', exact: true })
    .getByRole('row')
    .filter({ hasText: name });
}

export async function open(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name, exact: true }).click();
  await expect(page.getByRole('complementary', { name })).toBeVisible();
}

/** Chooses the program in the dialog, which proposes a name. */
export async function chooseProgram(page: Page, program: string): Promise<void> {
  await page.getByRole('combobox', { name: 'Program' }).click();
  await page.getByRole('option', { name: program, exact: true }).click();
}

export async function add(page: Page, program: string, name: string): Promise<string> {
  await page.getByRole('button', { name: 'Add a client' }).click();
  await chooseProgram(page, program);
  await expect(page.getByRole('textbox', { name: 'Name' })).toHaveValue(program);
  await page.getByRole('textbox', { name: 'Name' }).fill(name);
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: `The local key of ${name}` });
  await expect(dialog).toBeVisible();
  return (
    (await dialog
      .getByText(/^gh-[\w-]{43}$/u)
      .first()
      .textContent()) ?? ''
  );
}
