import { expect, test } from '../../kit/ui/kit.ts';

test('an address that names no video says so, with nothing to try again', async ({
  page,
  harness,
  provoked,
}) => {
  provoked(/status of 404/u);
  await harness.open(page, '/videos?video=zzzz');
  const pane = page.getByRole('complementary', { name: 'No such video' });
  await expect(pane).toContainText('There is no video with the id “zzzz”, or it was removed.');
  await expect(pane.getByRole('button', { name: 'Try again' })).toHaveCount(0);
});

test('an address that names no conversation does not say that it was deleted', async ({
  page,
  harness,
  provoked,
}) => {
  provoked(/status of 404/u);
  await harness.open(page, '/chat?c=zzzz');
  await expect(page.getByRole('heading', { name: 'No such conversation' })).toBeVisible();
  await expect(page.getByText('There is no conversation with the id “zzzz”.')).toBeVisible();
  await expect(page.getByText('was deleted')).toHaveCount(0);
});
