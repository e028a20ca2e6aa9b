import { expectAccessible } from '../../../kit/ui/axe.ts';
import { expect, test } from '../../../kit/ui/kit.ts';
import { TASK, actAsAgent, openRuns } from '../../../kit/ui/steps/runs.ts';

test('a run shows its tool call, the result, the changed prompt and the failure', async ({
  page,
  harness,
}) => {
  const { second } = await actAsAgent(harness);
  const run = await openRuns(page, harness);
  await expect(run).toContainText('3 steps');
  await expect(run).toContainText('1 tool call');
  await expect(run).toContainText('1 failed');
  await expect(run).toContainText('recognised by its messages');
  await expect(run.getByRole('definition').filter({ hasText: '$' })).toHaveText(
    /\(sandbox, not charged\)/u,
  );
  const steps = run
    .getByRole('listitem')
    .filter({ has: page.getByRole('link', { name: 'Open step' }) });
  await expect(steps).toHaveCount(3);
  await expect(steps.nth(0)).toContainText(TASK.content);
  await expect(steps.nth(0)).toContainText('Call of read_file');
  await expect(steps.nth(1)).toContainText('Result of read_file (23 characters)');
  await expect(steps.nth(1)).toContainText('The system prompt changed at character 10, a date.');
  await expect(steps.nth(1).getByRole('definition').first()).toContainText('Monday');
  await expect(steps.nth(2)).toContainText('Mend it.');
  await expect(steps.nth(2)).toContainText('Failed: 500');
  await steps.nth(1).getByRole('button', { name: 'Parts of the request' }).click();
  await expect(steps.nth(1)).toContainText('Largest definitions of tools: read_file');
  await expectAccessible(page);
  await steps.nth(1).getByRole('link', { name: 'Open step 2' }).click();
  await expect(page).toHaveURL(new RegExp(`/history\\?exchange=.*${second}`, 'u'));
  await expect(page.getByText('Step 2 of', { exact: false })).toBeVisible();
  await page.getByRole('link', { name: `“${TASK.content}”` }).click();
  await expect(page.getByRole('article', { name: TASK.content })).toBeVisible();
});
