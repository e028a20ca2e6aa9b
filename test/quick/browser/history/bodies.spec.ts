import { expectAccessible } from '../../../kit/ui/axe.ts';
import { expect, test } from '../../../kit/ui/kit.ts';
import { openExchange, section, choose } from '../../../kit/ui/steps/bodies.ts';

test('a chat request and its answer are shown as text and as JSON', async ({ page, harness }) => {
  const { exchangeId } = await harness.ask({ text: 'A **plain** question' });
  await openExchange(page, harness, exchangeId);
  const request = section(page, 'Request');
  await expect(request.getByRole('article', { name: 'User' })).toContainText(
    'A **plain** question',
  );
  await expect(request).toContainText('model aurora/aurora-large');
  const answer = section(page, 'Response').getByRole('article', { name: 'Answer' });
  await expect(answer.locator('strong')).toHaveText('plain');
  await expect(section(page, 'Response')).toContainText('The answer is complete.');
  await choose(request, 'Raw');
  await expect(request.getByRole('tree')).toContainText('A **plain** question');
  const fold = request.getByRole('button', { name: 'Fold' }).first();
  await fold.focus();
  await page.keyboard.press('ArrowLeft');
  await expect(request.getByRole('tree')).not.toContainText('A **plain** question');
  await expectAccessible(page);
});
