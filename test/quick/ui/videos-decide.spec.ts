import { expect, test } from '../../kit/ui/kit.ts';
import { openVideo } from '../../kit/ui/steps/videos-decide.ts';

const UNSURE = 'The lighthouse at dusk';

test('an order of unknown outcome is sent again only after a warning', async ({
  startHarness,
  page,
}) => {
  const pane = await openVideo({ startHarness, page }, UNSURE);
  await expect(pane.getByText('Order status unknown')).toBeVisible();
  await pane.getByRole('button', { name: 'Send again (no charge)…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Order it once more?' });
  await expect(dialog).toContainText(
    'there are two videos, and one of them is here: no charge (sandbox).',
  );
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await expect(pane.getByText('Order status unknown')).toBeVisible();
  await pane.getByRole('button', { name: 'Send again (no charge)…' }).click();
  await dialog.getByRole('button', { name: 'Send again' }).click();
  await expect(pane.getByText('Order status unknown')).toBeHidden();
});
