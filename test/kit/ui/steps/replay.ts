import type { Locator, Page } from '@playwright/test';
import type { Harness } from '../harness.ts';

const QUESTION = 'Which way is north?';

export const BODY = {
  model: 'aurora/aurora-large',
  temperature: 1,
  stream: true,
  messages: [{ role: 'user', content: QUESTION }],
};

/** Asks over Chat, and opens the dialog that sends the request again. */
export async function openDialog(
  page: Page,
  harness: Harness,
  body: object = BODY,
): Promise<Locator> {
  const { exchangeId } = await harness.ask({ protocol: 'chat', body });
  await harness.open(page, `/history?exchange=${exchangeId}`);
  await page.getByRole('button', { name: 'Send again' }).click();
  return page.getByRole('dialog', { name: 'Send again' });
}

/** Chooses a model by its id. */
export async function pickModel(page: Page, button: Locator, id: string): Promise<void> {
  await button.click();
  await page.getByRole('textbox', { name: 'Find a model' }).fill(id);
  await page.getByRole('option', { name: id }).first().click();
}
