import type { Page } from '@playwright/test';
import { type Sandbox } from '../../../../sandbox/server.ts';
import { expect } from '../kit.ts';

/** Fills the dialog that adds a service; the file for the key is preselected, because there is no keychain here. */
export async function fillIn(page: Page, service: Sandbox, key = service.key): Promise<void> {
  await page.getByRole('button', { name: 'Add a service' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add a service' });
  await dialog.getByRole('textbox', { name: 'Base address' }).fill(`${service.url}/v1/messages`);
  // The note below the address moves the other inputs down when it appears.
  await expect(dialog.getByText(`Gatehouse uses ${service.url}`)).toBeVisible();
  await dialog.getByRole('textbox', { name: 'Name' }).fill('The office');
  await dialog.getByRole('textbox', { name: 'Service key' }).fill(key);
  await expect(dialog.getByRole('radio', { name: /A file in the data folder/u })).toBeChecked();
}

export const card = (page: Page, name: string) => page.getByRole('listitem', { name });
