import { expectAccessible } from '../../kit/ui/axe.ts';
import { expect, test } from '../../kit/ui/kit.ts';
import { LOCAL_KEY, connect } from '../../kit/ui/steps/first-steps.ts';

test.use({ harnessOptions: { programs: [], setUp: false } });

test('a new user reaches a first recorded request through the window alone', async ({
  page,
  harness,
}) => {
  await harness.open(page);
  await expect(page).toHaveURL(/\/welcome$/u);
  await expect(page.getByText('Which service do you use?')).toBeVisible();
  await page.getByRole('button', { name: 'Use the sandbox' }).click();

  const key = await connect(page, 'Claude Code');
  expect(key).toMatch(LOCAL_KEY);
  await expect(page.getByText(`"ANTHROPIC_BASE_URL": "${harness.url}"`)).toBeVisible();
  await expect(page.getByText('Shown only once.')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'The local key was created' })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Continue', exact: true }).click();

  await expect(page.getByText('Waiting for the first request…')).toBeVisible();
  await harness.ask({ localKey: key, protocol: 'messages' });
  const success = page.getByRole('status').filter({ hasText: 'It works.' });
  await expect(success).toContainText('“Claude Code” sent a request and got an answer.');
  await expect(page.getByText('aurora/aurora-large')).toBeVisible();
  await expectAccessible(page);

  await page.getByRole('button', { name: 'Done' }).click();
  await expect(page).toHaveURL(/\/$/u);
  await expect(page.getByRole('heading', { name: 'Home' })).toBeVisible();
  await page.reload();
  await expect(page.getByRole('heading', { name: 'Home' })).toBeVisible();
});
