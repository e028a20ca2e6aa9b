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

test('a conversation that the service has stored is rebuilt below a mark, and folded', async ({
  page,
  harness,
}) => {
  const send = async (input: string, previous?: string) => {
    const response = await fetch(`${harness.url}/v1/responses`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${harness.localKey}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({
        model: 'aurora/aurora-large',
        input,
        previous_response_id: previous,
      }),
    });
    const [, id] = /"id":"(resp_\w+)"/u.exec(await response.text()) ?? [];
    return { id, exchange: response.headers.get('x-gatehouse-exchange') ?? '' };
  };
  const first = await send('My cat is Mia.');
  const second = await send('Who is my cat?', first.id);
  await openExchange(page, harness, second.exchange);
  const request = section(page, 'Request');
  await expect(request).toContainText(
    '2 earlier messages, rebuilt from the requests before, which the service has stored. This request sent only what follows.',
  );
  await expect(request.getByRole('article')).toHaveCount(1);
  await request.getByRole('button', { name: 'Show the earlier messages' }).click();
  const earlier = request.getByRole('region', { name: 'Earlier messages' });
  await expect(earlier.getByRole('article', { name: 'User' })).toContainText('My cat is Mia.');
  await expect(earlier.getByRole('article')).toHaveCount(2);
  await expectAccessible(page);
  await request.getByRole('button', { name: 'Hide the earlier messages' }).click();
  await expect(earlier).toHaveCount(0);
  await choose(request, 'Raw');
  await expect(request.getByRole('tree')).toContainText('Who is my cat?');
  await expect(request.getByRole('tree')).not.toContainText('My cat is Mia.');
});
