import { expect, test } from './kit.ts';

// A browser notes every call that nobody answered.
const UNANSWERED =
  /ERR_CONNECTION_REFUSED|ERR_CONNECTION_RESET|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_EMPTY_RESPONSE/u;

test('an engine that dies is told, and the window comes back by itself, still let in', async ({
  house,
  page,
  provoked,
}) => {
  provoked(UNANSWERED);
  await house.open(page, '/history');
  await house.stop('SIGKILL');
  const notice = page.getByText('Gatehouse does not answer.');
  await expect(notice).toBeVisible();
  await house.start();
  await expect(notice).toBeHidden();
  await house.ask({ model: 'borealis/borealis-chat' });
  await expect(page.getByText('borealis/borealis-chat').first()).toBeVisible();
  await page.reload();
  await expect(page.getByRole('heading', { level: 1, name: 'History' })).toBeVisible();
});

test('a person need not wait: the window tries at once when told to', async ({
  house,
  page,
  provoked,
}) => {
  provoked(UNANSWERED);
  await house.open(page, '/settings');
  await house.stop();
  const again = page.getByRole('button', { name: 'Try now' });
  await expect(again).toBeVisible();
  await again.click();
  await house.start();
  await expect(again).toBeHidden();
});

test('two tabs stay in step: what is set in one is seen in the other', async ({
  house,
  page,
  context,
}) => {
  await house.open(page, '/settings');
  const other = await context.newPage();
  await house.open(other, '/settings');
  const days = { name: 'Days to keep exchanges' };
  await page.getByRole('textbox', days).fill('30');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(other.getByRole('textbox', days)).toHaveValue('30 days');
  await other.getByRole('switch', { name: 'Repairs' }).click({ force: true });
  await expect(page.getByRole('switch', { name: 'Repairs' })).not.toBeChecked();
});

test('a client that is added in one tab is seen in the other', async ({ house, page, context }) => {
  await house.open(page, '/clients');
  const other = await context.newPage();
  await house.open(other, '/clients');
  await (await house.calls()).clients.add({ name: 'The second editor' });
  await expect(page.getByText('The second editor').first()).toBeVisible();
  await expect(other.getByText('The second editor').first()).toBeVisible();
});
