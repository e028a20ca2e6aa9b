import type { Page } from '@playwright/test';
import { expectAccessible } from '../../kit/ui/axe.ts';
import { expect, test } from '../../kit/ui/kit.ts';
import { open } from '../../kit/ui/steps/clients.ts';

const NEXT = 'The next request of “First client” will wait for you.';

/** Opens the client of the harness, and makes its next request wait. */
async function hold(page: Page): Promise<void> {
  await open(page, 'First client');
  await page.getByRole('button', { name: 'Hold the next request' }).click();
  await page.getByRole('menuitem', { name: 'At most 2 minutes' }).click();
  await expect(page.getByText(NEXT)).toBeVisible();
}

test('a request waits, is shown, changed and sent', async ({ page, harness }) => {
  await harness.open(page, '/clients');
  await hold(page);
  const first = harness.ask({ text: 'Which way is north?' });
  await expect(page.getByText(/It goes on unchanged in 1:\d\d\./u)).toBeVisible();
  await page.getByRole('link', { name: 'Look at it' }).click();
  const pane = page.getByRole('complementary');
  await expect(pane.getByRole('heading', { name: 'This request waits for you' })).toBeVisible();
  await expect(pane).toContainText('Which way is north?');
  await expect(page.getByText('No request has ended yet')).toBeVisible();
  await expect(pane).toContainText(/asks with POST .* for “.*”\.\s*This request waits/u);
  await expect(page.getByRole('link', { name: 'Look at it' })).toHaveCount(0);
  await pane.getByRole('button', { name: 'Change it…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Change the request' });
  await expect(dialog).toContainText(/It goes on unchanged in (?:10:00|9:\d\d)\./u);
  const messages = dialog.getByRole('textbox', { name: 'Messages' });
  await messages.fill('[{"role":"user"');
  await expect(dialog.getByText('This is not valid JSON: see line 1, column 16.')).toBeVisible();
  const send = dialog.getByRole('button', { name: 'Send it like this' });
  await expect(send).toBeDisabled();
  await messages.fill('[{"role":"user","content":"Which way is south?"}]');
  await expectAccessible(page);
  await send.click();
  expect((await first).text).toContain('south');
  await expect(dialog).toBeHidden();
  await expect(pane).toContainText('A person let this request wait for');
  await expect(pane).toContainText('with changes of messages');
  await expect(pane).toContainText('Held by a person');
});

test('a request is refused, and its client gets the words of the person', async ({
  page,
  harness,
}) => {
  await harness.open(page, '/clients');
  await hold(page);
  const asked = harness.ask();
  await page.getByRole('link', { name: 'Look at it' }).click();
  const pane = page.getByRole('complementary');
  await pane.getByRole('button', { name: 'Refuse it…' }).click();
  const refusal = page.getByRole('dialog', { name: 'Refuse this request' });
  await refusal.getByRole('textbox', { name: 'Your words to the client' }).fill('Not this file.');
  await expectAccessible(page);
  await refusal.getByRole('button', { name: 'Refuse it' }).click();
  expect((await asked).status).toBe(403);
  expect((await asked).text).toContain('Their words: Not this file.');
  await expect(pane).toContainText('A person refused this request');
});

test('a person who leaves the page while writing is not notified, and one whose client left is', async ({
  page,
  harness,
}) => {
  await harness.open(page, '/clients');
  await hold(page);
  const left = new AbortController();
  const asked = harness.ask({ signal: left.signal }).catch(() => null);
  await page.getByRole('link', { name: 'Look at it' }).click();
  const pane = page.getByRole('complementary');
  await pane.getByRole('button', { name: 'Refuse it…' }).click();
  await page.getByRole('dialog').getByRole('textbox').fill('No.');
  await page.goBack();
  await page.getByRole('link', { name: 'Look at it' }).click();
  await pane.getByRole('button', { name: 'Refuse it…' }).click();
  await page.getByRole('dialog').getByRole('textbox').fill('No.');
  const notice = page.getByText('The request does not wait any more.');
  await expect(notice).toHaveCount(0);
  left.abort();
  await expect(notice).toBeVisible();
  expect(await asked).toBeNull();
});

test('a request is sent as it is, the next one waits too, and that is cancelled', async ({
  page,
  harness,
}) => {
  await harness.open(page, '/clients');
  await hold(page);
  await expect(page.getByRole('button', { name: 'Let the next request pass' })).toBeVisible();
  const first = harness.ask();
  await page.getByRole('link', { name: 'Look at it' }).click();
  const send = page.getByRole('button', { name: 'Send it and hold the next' });
  await expect(send).toBeVisible();
  await expectAccessible(page);
  await page.setViewportSize({ width: 420, height: 800 });
  const wide = await page.evaluate(() => document.documentElement.scrollWidth);
  expect(wide).toBeLessThanOrEqual(420);
  await page.setViewportSize({ width: 1280, height: 800 });
  await send.click();
  expect((await first).status).toBe(200);
  await page.getByRole('button', { name: 'Let it pass' }).click();
  await expect(page.getByText('will wait for you')).toBeHidden();
  expect((await harness.ask()).status).toBe(200);
});
