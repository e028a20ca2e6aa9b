import { expect, test } from '../../kit/ui/kit.ts';
import { rows } from '../../kit/ui/steps/models.ts';

test('models are grouped by provider, with their usage', async ({ page, harness }) => {
  await harness.ask({ model: 'aurora/aurora-large' });
  await harness.open(page, '/models');
  await expect(page.getByRole('rowheader', { name: 'borealis 2' })).toBeVisible();
  const used = rows(page).filter({ hasText: 'aurora/aurora-large' });
  await expect(used).toContainText('ago');
  await expect(used.getByRole('cell').nth(3)).toHaveText('1');
  const unused = rows(page).filter({ hasText: 'aurora/aurora-small' });
  await expect(unused.getByRole('cell').nth(3)).toHaveText('–');
  await expect(page.getByRole('rowheader').last()).not.toHaveText(/^Other/u);
});
