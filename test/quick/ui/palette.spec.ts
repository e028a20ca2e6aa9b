import { expect, test } from '../../kit/ui/kit.ts';
import { selected, openPalette } from '../../kit/ui/steps/palette.ts';

test('finding 13: Enter runs the action that a word names; the history search is last', async ({
  page,
  harness,
}) => {
  await page.emulateMedia({ colorScheme: 'light' });
  await harness.open(page, '/');
  await openPalette(page, 'theme');
  await expect(selected(page)).toHaveText('Theme: dark');
  const actions = page.getByRole('dialog', { name: 'Go to' }).getByRole('button');
  await expect(actions.last()).toHaveText('Search the history for “theme”');
  await page.keyboard.press('Enter');
  await expect(page.locator('html')).toHaveAttribute('data-mantine-color-scheme', 'dark');
  await expect(page).toHaveURL(/\/$/u);
});
