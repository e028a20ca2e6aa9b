import { expect, test } from './kit/kit.ts';

// A browser notes every call that nobody answered.
const UNANSWERED =
  /ERR_CONNECTION_REFUSED|ERR_CONNECTION_RESET|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_EMPTY_RESPONSE/u;

test('a stopped engine is reported, and the window reconnects without a new sign-in', async ({
  harness,
  page,
  provoked,
}) => {
  provoked(UNANSWERED);
  await harness.open(page, '/history');
  await harness.stop('SIGKILL');
  const notice = page.getByText('Gatehouse is not responding.');
  await expect(notice).toBeVisible();
  await harness.start();
  await expect(notice).toBeHidden();
  await harness.ask({ model: 'borealis/borealis-chat' });
  const row = page.getByRole('row').filter({ hasText: 'borealis/borealis-chat' });
  await expect(row.first()).toBeVisible();
  await page.reload();
  await expect(page.getByRole('heading', { level: 1, name: 'History' })).toBeVisible();
});

test('“Try now” reconnects at once', async ({ harness, page, provoked }) => {
  provoked(UNANSWERED);
  await harness.open(page, '/settings');
  await harness.stop();
  const again = page.getByRole('button', { name: 'Try now' });
  await expect(again).toBeVisible();
  await again.click();
  await harness.start();
  await expect(again).toBeHidden();
});

test('a setting changed in one tab appears in the other', async ({ harness, page, context }) => {
  await harness.open(page, '/settings');
  const other = await context.newPage();
  await harness.open(other, '/settings');
  const days = { name: 'Days to keep exchanges' };
  await page.getByRole('textbox', days).fill('30');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(other.getByRole('textbox', days)).toHaveValue('30 days');
  await other.getByRole('switch', { name: 'Repairs' }).click({ force: true });
  await expect(page.getByRole('switch', { name: 'Repairs' })).not.toBeChecked();
});

test('a client added in one tab appears in the other', async ({ harness, page, context }) => {
  await harness.open(page, '/clients');
  const other = await context.newPage();
  await harness.open(other, '/clients');
  await (await harness.calls()).clients.add({ name: 'The second editor' });
  await expect(page.getByText('The second editor').first()).toBeVisible();
  await expect(other.getByText('The second editor').first()).toBeVisible();
});
