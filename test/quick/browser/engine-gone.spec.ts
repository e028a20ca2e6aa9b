import { expect, test } from '../../kit/ui/kit.ts';
import { UNANSWERED } from '../../kit/ui/page-guard.ts';

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
