import type { Locator, Page } from '@playwright/test';
import { expectAccessible } from '../../../kit/ui/axe.ts';
import { expect, test } from '../../../kit/ui/kit.ts';
import { actAsAgent } from '../../../kit/ui/steps/runs.ts';
import { seedOldExchanges, variedFields } from '../../../kit/ui/seed/old-exchanges.ts';

test.use({ harnessOptions: { seed: { more: seedOldExchanges(60, variedFields) } } });

function findBox(page: Page): Locator {
  return page.getByRole('combobox', { name: 'Search the history' });
}

function findOptions(page: Page): Locator {
  return page.getByRole('listbox', { name: 'What can follow' }).getByRole('option');
}

async function expectCount(page: Page, count: string): Promise<void> {
  await expect(page.getByText(count, { exact: true })).toBeVisible();
}

test('a filter is typed with the keyboard alone, field by field and value by value', async ({
  page,
  harness,
}) => {
  await harness.open(page, '/history');
  await expectCount(page, '60 requests');
  await page.keyboard.press('/');
  const filtered = page.waitForResponse(
    (response) =>
      response.url().includes('/rpc/history/') &&
      response.request().postData()?.includes('"mo"') === true,
  );
  await page.keyboard.type('mo');
  await expect(findOptions(page)).toHaveText([/^model:/u]);
  await filtered;
  // Rows of another filter are dimmed.
  await expect(page.getByRole('grid', { name: 'Exchanges' })).toHaveAttribute('aria-busy', 'false');
  await expectAccessible(page);
  await page.keyboard.press('ArrowDown');
  await expect(findOptions(page)).toHaveAttribute('aria-selected', 'true');
  const marked = await findBox(page).getAttribute('aria-activedescendant');
  expect(marked).toBe(await findOptions(page).getAttribute('id'));
  await page.keyboard.press('Enter');
  await expect(findBox(page)).toHaveValue('model:');
  await expect(findOptions(page)).toHaveText(['acme/small', 'acme/large']);
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Tab');
  await expect(findBox(page)).toHaveValue('model:acme/large ');
  await expectCount(page, '20 requests');
  await page.keyboard.type('status>=400 -client:z');
  await expect(findOptions(page)).toHaveText(['Zed']);
  await page.keyboard.press('Escape');
  await expect(findOptions(page)).toHaveCount(0);
  await page.keyboard.type('ed');
  await expectCount(page, '2 requests');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('grid', { name: 'Exchanges' })).toBeFocused();
  await page.reload();
  await expectCount(page, '2 requests');
  await expect(findBox(page)).toHaveValue('model:acme/large status>=400 -client:zed');
});

test('the names of tools are offered, and the list finds who called them', async ({
  page,
  harness,
}) => {
  await actAsAgent(harness);
  await harness.open(page, '/history');
  await expectCount(page, '63 requests');
  await findBox(page).pressSequentially('too');
  await expect(findOptions(page)).toHaveText([/^tool:/u]);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Tab');
  await expect(findOptions(page)).toHaveText(['read_file']);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(findBox(page)).toHaveValue('tool:read_file ');
  await expectCount(page, '2 requests');
  await findBox(page).fill('-tool:read_*');
  await expectCount(page, '61 requests');
});

test('a mistake is shown at its place, and the list stays until it is mended', async ({
  page,
  harness,
}) => {
  await harness.open(page, '/history?filter=client%3ACline');
  await expectCount(page, '30 requests');
  await findBox(page).fill('client:Cline modle:x failed');
  await expect(page.getByText('Did you mean model?')).toBeVisible();
  await expect(page.locator('mark')).toHaveText('modle:x');
  await expect(findBox(page)).toHaveAccessibleDescription(/There is no field "modle"/u);
  await expect(findBox(page)).toHaveAttribute('aria-invalid', 'true');
  await expectCount(page, '30 requests');
  await expectAccessible(page);
  await page.setViewportSize({ width: 420, height: 800 });
  await page.emulateMedia({ colorScheme: 'dark' });
  await expectAccessible(page);
  const box = await page.locator('mark').boundingBox();
  expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(420);
  await findBox(page).fill('client:Cline model:acme/*');
  await expect(page.locator('mark')).toHaveCount(0);
  await expect(findBox(page)).not.toHaveAttribute('aria-invalid');
});

test('a filter that is opened with a mistake has no count', async ({ page, harness }) => {
  await harness.open(page, '/history?filter=modle%3Ax');
  await expect(page.getByText('Did you mean model?')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'History' })).toBeVisible();
  await expect(page.getByText(/requests?$/u)).toHaveCount(0);
  await findBox(page).fill('client:Cline');
  await expectCount(page, '30 requests');
});

test('the menus write into the text and read from it', async ({ page, harness }) => {
  await harness.open(page, '/history');
  await findBox(page).fill('rate_lim client:cline');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('combobox', { name: 'Client: Cline' })).toBeVisible();
  await page.getByRole('combobox', { name: 'Client: Cline' }).click();
  await page.getByRole('option', { name: 'Zed', exact: true }).click();
  await expect(findBox(page)).toHaveValue('rate_lim client:Cline,Zed');
  await page.keyboard.press('Escape');
  await page.getByRole('combobox', { name: 'Outcome' }).click();
  await page.getByRole('option', { name: '4xx: refused' }).click();
  await expect(findBox(page)).toHaveValue('rate_lim client:Cline,Zed status:4xx');
  await expectCount(page, '12 requests');
  await findBox(page).fill('status:4xx');
  await expect(page.getByRole('combobox', { name: 'Outcome: 4xx: refused' })).toBeVisible();
  await expect(page.getByRole('combobox', { name: 'Client', exact: true })).toBeVisible();
});

test('a filter is saved, picked, renamed, deleted, and offered in the palette', async ({
  page,
  harness,
}) => {
  await harness.open(page, '/history?filter=failed%20client%3AZed');
  await expectCount(page, '6 requests');
  const saved = page.getByRole('button', { name: 'Saved filters' });
  await saved.click();
  await page.getByRole('button', { name: 'Save this filter…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Save this filter' });
  await dialog.getByRole('button', { name: 'Save' }).click();
  await expect(dialog.getByText('Enter a name for the filter.')).toBeVisible();
  await dialog.getByLabel('Name').fill('Trouble with Zed');
  await expectAccessible(page);
  await page.keyboard.press('Enter');
  await expect(dialog).toBeHidden();
  await findBox(page).fill('');
  await expectCount(page, '60 requests');
  await page.reload();
  await saved.click();
  await page.getByRole('button', { name: /^Trouble with Zed/u }).click();
  await expect(findBox(page)).toHaveValue('failed client:Zed');
  await expectCount(page, '6 requests');
  await saved.click();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Rename the filter Trouble with Zed' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Zed fails');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog', { name: /^Rename/u })).toBeHidden();
  await harness.open(page, '/');
  await page.keyboard.press('ControlOrMeta+k');
  await page.keyboard.type('zed fails');
  await page.getByRole('button', { name: /Zed fails.*failed client:Zed/u }).click();
  await expect(findBox(page)).toHaveValue('failed client:Zed');
  await saved.click();
  await page.getByRole('button', { name: 'Delete the filter Zed fails' }).click();
  await expect(page.getByText('The filter “Zed fails” was deleted.')).toBeVisible();
  await saved.click();
  await expect(page.getByRole('button', { name: /^Zed fails/u })).toHaveCount(0);
});

test('words are searched for in requests and responses, with a switch and by typing', async ({
  page,
  harness,
}) => {
  const { exchangeId } = await harness.ask();
  await harness.open(page, '/history');
  await expectCount(page, '61 requests');
  await findBox(page).fill('hello');
  await expectCount(page, '0 requests');
  const toggle = page.getByRole('search').getByRole('button', { name: 'Search in requests' });
  await toggle.click();
  await expect(findBox(page)).toHaveValue('body:"hello"');
  await expect(page.getByText('Found in the requests and responses of 1 request.')).toBeVisible();
  await expectCount(page, '1 request');
  await expectAccessible(page);
  await page.setViewportSize({ width: 420, height: 800 });
  await expectAccessible(page);
  await harness.ask();
  await page.getByRole('button', { name: 'Search again' }).click();
  await expectCount(page, '2 requests');
  await page.getByRole('grid', { name: 'Exchanges' }).getByRole('row').last().click();
  await expect(page).toHaveURL(new RegExp(`exchange=${exchangeId}`, 'u'));
  await page.keyboard.press('Escape');
  await toggle.click();
  await expect(findBox(page)).toHaveValue('"hello"');
});
