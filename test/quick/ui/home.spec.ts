import { expect, test } from '../../kit/ui/kit.ts';

test('Home shows the service and both base addresses to copy', async ({
  page,
  context,
  harness,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await harness.open(page);
  await expect(page.getByRole('region', { name: /^Running with/u })).toContainText(
    'Answers are made up on this machine and cost nothing.',
  );
  const readClipboard = () => page.evaluate(() => navigator.clipboard.readText());
  await page.getByRole('button', { name: 'Copy the base address with /v1' }).click();
  await expect.poll(readClipboard).toBe(`${harness.url}/v1`);
  await page.getByRole('button', { name: 'Copy the base address without /v1' }).click();
  await expect.poll(readClipboard).toBe(harness.url);
  await page.getByRole('link', { name: 'Use your own service' }).click();
  await expect(page).toHaveURL(/\/settings$/u);
});

test('a running stream is listed first and becomes a link to its details', async ({
  page,
  harness,
}) => {
  await harness.open(page);
  const latest = page.getByRole('region', { name: 'Latest requests' });
  const leaving = new AbortController();
  // The exchange runs as long as the test checks it, however slow the machine is.
  const slow = { stream: true, scenario: 'slow-stream=60000', signal: leaving.signal };
  const stream = await harness.begin(slow);
  await expect(latest.getByRole('listitem')).toHaveCount(1);
  await expect(latest.getByRole('listitem')).toContainText('answering');
  await expect(page.getByText('1 running now')).toBeVisible();
  leaving.abort();
  await stream.text().catch(() => '');
  await expect(latest.getByRole('link', { name: /aurora-large/u })).toBeVisible();
  await expect(latest).not.toContainText('answering');
  await expect(page.getByText('none running')).toBeVisible();
  await latest.getByRole('link', { name: /aurora-large/u }).click();
  await expect(page).toHaveURL(/\/history\?exchange=/u);
});
