import type { Page } from '@playwright/test';
import { expectAccessible } from '../../../kit/ui/axe.ts';
import { composer } from '../../../kit/ui/chat-steps.ts';
import type { Calls } from '../../../kit/ui/harness.ts';
import { expect, test } from '../../../kit/ui/kit.ts';
import { PLAIN_SETTINGS } from '../../../kit/ui/seed/conversations.ts';

const lines = (page: Page) =>
  page.getByRole('list', { name: 'Conversations' }).locator('[data-row]');

const search = (page: Page) => page.getByRole('searchbox', { name: 'Find conversations' });

/** Conversations of one question each, the last the newest. */
async function begin({ chat }: Calls, ...texts: readonly string[]): Promise<void> {
  for (const text of texts) {
    const lanes = [{ model: 'sandbox/echo', protocol: 'chat' as const }];
    const { id } = await chat.add({ settings: PLAIN_SETTINGS, lanes });
    await chat.send({ id, content: { text, files: [] }, replaces: [] });
    // They are listed by when their answers ended.
    await expect
      .poll(async () => (await chat.page({ find: '', limit: 1 })).conversations[0])
      .toMatchObject({ id, running: false });
  }
}

test('conversations are renamed and deleted from the list by keyboard, one or all', async ({
  page,
  harness,
  provoked,
}) => {
  provoked(/404 \(Not Found\).*\/chat\/open/u);
  const calls = await harness.calls();
  await begin(calls, 'Where do otters sleep?', 'A café in Zürich', 'Otters, once more');
  await harness.open(page, '/chat');
  await expect(lines(page)).toHaveText([/Otters, once/u, /A café/u, /Where do otters/u]);
  await expectAccessible(page);
  await lines(page).nth(1).focus();
  await page.keyboard.press('F2');
  const dialog = page.getByRole('dialog', { name: 'Rename the conversation' });
  await dialog.getByRole('textbox').fill('Coffee');
  await page.keyboard.press('Enter');
  await expect(lines(page).nth(1)).toContainText('Coffee');
  await expect(lines(page).nth(1)).toBeFocused();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Coffee, rename' }).click();
  await page.keyboard.type('Tee');
  await page.keyboard.press('Enter');
  await expect(lines(page).nth(1)).toContainText('Tee');
  await page.getByRole('button', { name: 'More about this conversation' }).click();
  await page.getByRole('menuitem', { name: 'Rename…' }).click();
  await expect(dialog.getByRole('textbox')).toBeFocused();
  await page.keyboard.type('Tea');
  await page.keyboard.press('Enter');
  await expect(lines(page).nth(1)).toContainText(/^Tea/u);

  await lines(page).nth(0).focus();
  await remove(page);
  await expect(lines(page)).toHaveText([/Tea/u, /Where do otters/u]);
  await expect(lines(page).nth(0)).toBeFocused();
  await remove(page);
  await expect(lines(page)).toHaveText([/Where do otters/u]);
  await expect(composer(page)).toBeFocused();
  await expect(page).toHaveURL(/\/chat$/u);

  await harness.open(page, '/settings');
  await page
    .getByRole('region', { name: 'Chat', exact: true })
    .getByRole('button', { name: 'Delete…' })
    .click();
  await page.getByRole('button', { name: 'Delete 1 conversation' }).click();
  await expect(page.getByText('1 conversation deleted.')).toBeVisible();
  expect((await calls.chat.page({ find: '', limit: 10 })).conversations).toEqual([]);
});

/** Deletes the line that has the focus. */
async function remove(page: Page): Promise<void> {
  await page.keyboard.press('Delete');
  await expect(page.getByRole('dialog')).toContainText('This cannot be undone');
  await page.getByRole('button', { name: 'Delete permanently' }).click();
}

test('a conversation is found by its text, opened at the match, and exported', async ({
  page,
  harness,
}) => {
  await begin(await harness.calls(), 'Where do otters sleep?', 'A café in Zürich');
  await harness.open(page, '/chat');
  await expect(lines(page)).toHaveCount(2);
  await search(page).fill('zur CAFE');
  await expect(lines(page)).toHaveCount(1);
  await expect(lines(page).locator('mark')).toContainText(['café', 'Zür']);
  await search(page).press('Enter');
  await expect(lines(page)).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/[?&]at=/u);
  await expect(page.getByRole('article', { name: 'You' })).toContainText('A café in Zürich');
  for (const [name, ending] of [
    ['Export as Markdown', 'md'],
    ['Export as JSON', 'json'],
  ] as const) {
    await page.getByRole('button', { name: 'More about A café in Zürich' }).click();
    const saving = page.waitForEvent('download');
    await page.getByRole('menuitem', { name }).click();
    expect((await saving).suggestedFilename()).toBe(`A café in Zürich.${ending}`);
  }
  await search(page).fill('nowhere');
  await page.getByRole('button', { name: 'Show all' }).click();
  await expect(lines(page)).toHaveCount(2);
  await lines(page).nth(1).click();
  await expect(page.getByRole('article', { name: 'You' })).toContainText('Where do otters');
  await expect(page.getByRole('button', { name: /^Conversation settings/u })).toHaveCount(1);
});
