import { readFile } from 'node:fs/promises';
import { expectAccessible } from '../../../kit/ui/axe.ts';
import { expect, test } from '../../../kit/ui/kit.ts';
import { TASK, actAsAgent, openRuns } from '../../../kit/ui/steps/runs.ts';

test('a run is saved as a fixture', async ({ page, harness }) => {
  await actAsAgent(harness);
  const run = await openRuns(page, harness);
  const download = page.waitForEvent('download');
  await run.getByRole('button', { name: 'Save as a fixture' }).click();
  const file = await download;
  expect(file.suggestedFilename()).toMatch(/^run-[\da-f]{16}\.fixture\.json$/u);
  const text = await readFile(await file.path(), 'utf8');
  expect(JSON.parse(text)).toMatchObject({
    format: 'gatehouse-fixture-1',
    models: ['aurora/aurora-large'],
    steps: [
      { when: { protocol: 'messages', tools: true, contains: TASK.content } },
      { when: { contains: 'export const parse =' } },
      { when: { contains: 'Mend it.' }, response: { status: 500 } },
    ],
  });
  await expect(page.getByText('Saved 3 steps.')).toBeVisible();
});

test('runs are found by their words, and single requests are listed on demand', async ({
  page,
  harness,
}) => {
  await actAsAgent(harness);
  await harness.ask({ text: 'A single question' });
  await openRuns(page, harness);
  const list = page.getByRole('list', { name: 'Runs' });
  await expect(list.getByRole('button')).toHaveCount(1);
  const more = page.getByRole('button', { name: 'Search single requests too' });
  await expect(more).toHaveCount(0);
  await page.getByRole('searchbox', { name: 'Search the runs' }).fill('single');
  await expect(page.getByText('No run matches')).toBeVisible();
  await more.click();
  await expect(list.getByRole('button')).toHaveCount(1);
  await expect(more).toHaveCount(0);
  await page.getByRole('searchbox', { name: 'Search the runs' }).fill('');
  await expect(list.getByRole('button')).toHaveCount(2);
  await expect(
    page.getByRole('checkbox', { name: 'Also single requests without tools' }),
  ).toBeChecked();
  await page.getByRole('searchbox', { name: 'Search the runs' }).fill('nothing at all');
  await expect(page.getByText('No run matches')).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('searchbox', { name: 'Search the runs' }).fill('export const');
  await page
    .getByRole('search')
    .getByRole('button', { name: 'Search in requests and responses' })
    .click();
  await expect(
    page.getByText(/^Found in the requests and responses of \d requests?\./u),
  ).toBeVisible();
  await expect(list.getByRole('button')).toHaveCount(1);
  await expectAccessible(page);
  await list.getByRole('link', { name: 'Found in step 2' }).click();
  await expect(page).toHaveURL(/exchange=ex-/u);
});

test('a request that fails again and again is one line, which opens', async ({ page, harness }) => {
  const request = { protocol: 'messages', body: bodyOf([TASK]), scenario: 'error-500' } as const;
  for (let count = 0; count < 5; count += 1) await harness.ask(request);
  const run = await openRuns(page, harness);
  await expect(run).toContainText('5 steps');
  const again = run.getByRole('button', { name: /^4 more times the same: 500 /u });
  await expect(run.getByRole('link', { name: /^Open step/u })).toHaveCount(1);
  await again.click();
  await expect(run.getByRole('link', { name: /^Open step/u })).toHaveCount(5);
  await expect(run).not.toContainText('..');
  await expectAccessible(page);
});

test('a step opens with its row in view', async ({ page, harness }) => {
  await actAsAgent(harness);
  for (let count = 0; count < 40; count += 1) await harness.ask({ text: `Question ${count}` });
  await page.setViewportSize({ width: 1280, height: 600 });
  const run = await openRuns(page, harness);
  await run.getByRole('link', { name: 'Open step 1' }).first().click();
  await expect(page.getByRole('row', { selected: true })).toBeInViewport();
});

test('a run grows while it is shown', async ({ page, harness }) => {
  await harness.ask({ protocol: 'messages', body: bodyOf([TASK]) });
  const run = await openRuns(page, harness);
  await expect(run).toHaveCount(0);
  await expect(page.getByText('No runs yet')).toBeVisible();
  const answer = { role: 'assistant', content: 'Which parser?' };
  const next = { role: 'user', content: 'The one for dates.' };
  await harness.ask({ protocol: 'messages', body: bodyOf([TASK, answer, next]) });
  await expect(run).toContainText('2 steps');
  await expect(run).toContainText('The one for dates.');
});

test('the list of runs follows while other requests end without a pause', async ({
  page,
  harness,
}) => {
  const run = await openRuns(page, harness);
  await expect(page.getByText('No runs yet')).toBeVisible();
  const stopping = new AbortController();
  const keepBusy = async (): Promise<void> => {
    while (!stopping.signal.aborted) await harness.ask({ text: 'A single question' });
  };
  const busy = keepBusy();
  await harness.ask({ protocol: 'messages', body: bodyOf([TASK]) });
  const next = { role: 'user', content: 'The one for dates.' };
  await harness.ask({
    protocol: 'messages',
    body: bodyOf([TASK, { role: 'assistant', content: 'Which parser?' }, next]),
  });
  await expect(run).toContainText('2 steps');
  stopping.abort();
  await busy;
});

function bodyOf(messages: readonly object[]): object {
  return { model: 'aurora/aurora-large', max_tokens: 256, messages };
}

test('on a narrow page the list and a run follow each other, with the keyboard alone', async ({
  page,
  harness,
}) => {
  await page.setViewportSize({ width: 420, height: 800 });
  await actAsAgent(harness);
  await harness.open(page, '/history/runs');
  const row = page.getByRole('button', { name: TASK.content });
  await expect(row).toContainText(/· \$[\d.]+ not charged/u);
  await row.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('article', { name: TASK.content })).toBeVisible();
  await expect(row).toHaveCount(0);
  const overflow = await page.evaluate(
    () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
  );
  expect(overflow).toBe(0);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'All runs' }).press('Enter');
  await expect(row).toBeVisible();
});

test('a run is saved as Markdown, with each message once', async ({ page, harness }) => {
  await actAsAgent(harness);
  const run = await openRuns(page, harness);
  await expect(run).toContainText('3 steps');
  const download = page.waitForEvent('download');
  await run.getByRole('button', { name: 'Export this run' }).click();
  await page.getByRole('menuitem', { name: /Markdown/u }).click();
  const text = await readFile(await (await download).path(), 'utf8');
  expect(text.match(/^## Messages/gmu)).toHaveLength(3);
  expect(text.match(/export const parse = 1;/gu)).toHaveLength(1);
  expect(text).toContain('Mend it.');
});

test('a run is pinned and deleted with all its requests', async ({ page, harness, provoked }) => {
  provoked(/404 \(Not Found\).*history\/(?:run|get)/u);
  const { second } = await actAsAgent(harness);
  const run = await openRuns(page, harness);
  await expect(run).toContainText('3 steps');
  await run.getByRole('button', { name: 'Pin' }).click();
  await expect(page.getByText('3 requests pinned.')).toBeVisible();
  await expect(run.getByRole('button', { name: 'Unpin' })).toBeVisible();
  await run.getByRole('button', { name: 'Delete' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete this run?' });
  await expect(dialog).toContainText('3 of its requests are pinned.');
  await expectAccessible(page);
  await dialog.getByRole('button', { name: 'Delete 3 requests' }).click();
  await expect(run).toHaveCount(0);
  await harness.open(page, `/history?exchange=${second}`);
  await expect(page.getByText('not in the history, or was deleted')).toBeVisible();
  await expect(page.getByText('No requests yet')).toBeVisible();
});
