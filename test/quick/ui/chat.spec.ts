import { answers, beginChat, listRecords, sendMessage } from '../../kit/ui/chat-steps.ts';
import { expect, test } from '../../kit/ui/kit.ts';

const LANES = [
  { model: 'aurora/aurora-large', protocol: 'chat' },
  { model: 'borealis/borealis-chat', protocol: 'responses' },
  { model: 'isle/isle-pro', protocol: 'messages' },
] as const;

test('each of the three protocols answers side by side, is measured, and recorded under the client Chat', async ({
  page,
  harness,
}) => {
  await beginChat(harness, page, { lanes: LANES });
  await sendMessage(page, 'Hello there [scenario reasons-aloud=6] [scenario tells-usage-cost]');
  for (const { model } of LANES) {
    const answer = answers(page, model);
    await expect(answer).toContainText('You said: “Hello there”. A real model would answer here.');
    await expect(answer.getByRole('button', { name: 'Thought in 5 words' })).toBeVisible();
    await expect(answer).toContainText(/first token .+tokens\/s.+reported.*cost 0\.\d+, reported/u);
  }
  await expect(page.getByRole('article', { name: 'You' })).toHaveCount(1);
  const tops = await Promise.all(
    LANES.map(async ({ model }) => (await answers(page, model).boundingBox())?.y),
  );
  expect(new Set(tops).size, 'heights at which the answers begin').toBe(1);

  const recorded = (await listRecords(harness, 3)).map(
    ({ clientName, route }) => `${clientName} ${route}`,
  );
  expect(recorded.toSorted()).toEqual(['Chat chat', 'Chat messages', 'Chat responses']);
  await answers(page, 'isle/isle-pro').getByRole('link', { name: 'In History' }).click();
  await expect(page.getByText('/v1/messages').first()).toBeVisible();

  await page.goBack();
  await answers(page, 'isle/isle-pro')
    .getByRole('button', { name: 'Continue with this answer' })
    .click();
  await expect(answers(page, 'aurora/aurora-large')).toHaveCount(0);
  await sendMessage(page, 'And now?');
  await expect(answers(page, 'isle/isle-pro')).toHaveCount(2);
});
