import type { NewLimit } from '../../../shared/money/limit.ts';
import { expectAccessible } from '../../kit/ui/axe.ts';
import { beginChat, sendMessage } from '../../kit/ui/chat-steps.ts';
import type { Harness } from '../../kit/ui/harness.ts';
import { expect, test } from '../../kit/ui/kit.ts';
import { addVideo } from '../../kit/ui/video-steps.ts';

const ONE_A_DAY: NewLimit = {
  clientId: null,
  measure: 'requests',
  amount: 1,
  period: 'day',
  rolling: false,
};

async function limit(harness: Harness, more: Partial<NewLimit> = {}): Promise<void> {
  const { clients } = await harness.calls();
  await clients.limits.set({ ...ONE_A_DAY, ...more });
}

test('an answer of the chat that a limit refuses leads to the limit, and lets one more pass', async ({
  page,
  harness,
}) => {
  await limit(harness);
  await harness.ask();
  await beginChat(harness, page);
  await sendMessage(page, 'Hello');
  const refused = page.getByRole('group', { name: 'Gatehouse did not send this' });
  await expect(refused).toContainText('The limit of all clients is 1 request per day');
  await expectAccessible(page);
  await refused.getByRole('button', { name: 'Allow one more request' }).click();
  await expect(page.getByRole('alert')).toContainText('1 request per day');
  await refused.getByRole('button', { name: 'Try again' }).click();
  await expect(refused).toHaveCount(0);
  await sendMessage(page, 'And now?');
  await refused.getByRole('link', { name: 'Show this limit' }).click();
  const dialog = page.getByRole('dialog', { name: 'Limits for all clients together' });
  await expect(
    dialog.getByRole('button', { name: 'Actions of the limit of 1 request per day' }),
  ).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
});

test('a video that a limit holds leads to the limit, and goes on once it is raised', async ({
  page,
  harness,
}) => {
  await limit(harness);
  await harness.ask();
  const { id } = await addVideo(harness, 'A fox [scenario render-ms=0]');
  await harness.open(page, `/videos?video=${encodeURIComponent(JSON.stringify(id))}`);
  const pane = page.getByRole('complementary', { name: 'Video' });
  await expect(pane).toContainText('The limit of all clients is 1 request per day');
  await expect(pane).toContainText('A limit holds it.');
  await expect(pane).not.toContainText('starts automatically');
  await expect(pane.getByRole('link', { name: 'Show this limit' })).toBeVisible();
  await pane.getByRole('button', { name: 'Raise…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Limit of all clients' });
  await dialog.getByRole('textbox', { name: 'At most' }).fill('10');
  await dialog.getByRole('button', { name: 'Set the limit' }).click();
  await expect(pane.getByRole('link', { name: 'Show this limit' })).toHaveCount(0);
});

test('a refusal by a limit that was removed says so', async ({ page, harness }) => {
  await limit(harness);
  await harness.ask();
  const { exchangeId } = await harness.ask();
  const { clients } = await harness.calls();
  for (const { id } of await clients.limits.list()) await clients.limits.remove({ id });
  await harness.open(page, `/history?exchange=${exchangeId}`);
  await expect(page.getByText('This limit was removed since.')).toBeVisible();
});
