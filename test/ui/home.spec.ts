import { expectAccessible } from './kit/axe.ts';
import { expect, test } from './kit/kit.ts';

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
  const copied = () => page.evaluate(() => navigator.clipboard.readText());
  await page.getByRole('button', { name: 'Copy the base address with /v1' }).click();
  await expect.poll(copied).toBe(`${harness.url}/v1`);
  await page.getByRole('button', { name: 'Copy the base address without /v1' }).click();
  await expect.poll(copied).toBe(harness.url);
  await page.getByRole('link', { name: 'Use your own service' }).click();
  await expect(page).toHaveURL(/\/settings$/u);
});

test('an empty Home says what to do next and is accessible', async ({ page, harness }) => {
  await harness.open(page);
  await expect(page.getByText('No requests in the last 30 days.')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'No requests yet' })).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'first steps' }).click();
  await expect(page).toHaveURL(/\/welcome$/u);
});

test('relative times are current as soon as a screen opens', async ({ page, harness }) => {
  await page.clock.install();
  await harness.open(page);
  await page.getByRole('link', { name: 'Settings', exact: true }).first().click();
  await expect(page.getByRole('heading', { level: 1, name: 'Settings' })).toBeVisible();
  await page.clock.pauseAt(Date.now() + 10 * 60_000);
  await page.getByRole('link', { name: 'Home', exact: true }).click();
  // Shorter than what passes between two looks at the clock.
  await page.clock.runFor(2_000);
  await expect(page.getByText(/^Gatehouse .* started 10 min ago$/u)).toBeVisible();
});

test('the totals count requests as they arrive', async ({ page, harness }) => {
  await harness.open(page);
  const today = page.getByRole('region', { name: 'Today' });
  await expect(today).toContainText('no requests yet');
  await harness.ask();
  await harness.ask({ scenario: 'error-500' });
  await expect(today).toContainText('50% of requests');
  await expect(today).toContainText('reported for 1, unknown for 1 request');
  const days = page.getByRole('table', { name: /each day/u });
  await expect(days.getByRole('row')).toHaveCount(31);
  await expect(days.getByRole('row').last()).toContainText(/2\s*1\s*\d+\s*\d+/u);
  await today.getByRole('link', { name: '50% of requests' }).click();
  await expect(page).toHaveURL(/outcome=failed&since=\d+/u);
});

test('the chart appears once there is data, for requests and for tokens', async ({
  page,
  harness,
}) => {
  await harness.ask();
  await harness.open(page);
  const month = page.getByRole('region', { name: 'Last 30 days' });
  await expect(month.getByText('Without errors')).toBeVisible();
  await expect(month.locator('[data-series="main"]').last()).toBeInViewport({ ratio: 1 });
  await month.getByText('Tokens', { exact: true }).click();
  await expect(month.getByText('Input tokens', { exact: true }).first()).toBeVisible();
  await expectAccessible(page);
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

/** Home's line about a limit of the service. */
function limitLine(running: string): RegExp {
  return new RegExp(`at most \\d+ requests? at a time: ${running} in progress, 0 waiting`, 'u');
}

test('a limit of the service is shown with the requests in progress and waiting', async ({
  page,
  harness,
}) => {
  await harness.open(page);
  const service = page.getByRole('region', { name: /^Running with/u });
  await expect(service).not.toContainText('The service answered 429');
  await harness.ask({ scenario: 'rate-limit=1' });
  await expect(service).toContainText(limitLine('0'));
  const leaving = new AbortController();
  const scenario = 'silent-stream=60000';
  const stream = await harness.begin({ stream: true, scenario, signal: leaving.signal });
  await expect(service).toContainText(limitLine('1'));
  leaving.abort();
  await stream.text().catch(() => '');
  await expect(service).toContainText(limitLine('0'));
});

test('a page opened during a stream shows it', async ({ page, harness }) => {
  const leaving = new AbortController();
  const stream = await harness.begin({
    stream: true,
    scenario: 'silent-stream=60000',
    signal: leaving.signal,
  });
  await harness.open(page);
  await expect(page.getByText('1 running now')).toBeVisible();
  leaving.abort();
  await stream.text().catch(() => '');
  await expect(page.getByText('none running')).toBeVisible();
});

test('the latest requests are reached with the keyboard alone', async ({ page, harness }) => {
  await harness.ask({ model: 'aurora/aurora-large' });
  const { exchangeId } = await harness.ask({ model: 'cirrus/cirrus-thinking' });
  await harness.open(page);
  const latest = page.getByRole('region', { name: 'Latest requests' });
  await expect(latest.getByRole('link', { name: /cirrus-thinking/u })).toBeVisible();
  await page.keyboard.press('j');
  await expect(latest.getByRole('link', { name: /cirrus-thinking/u })).toBeFocused();
  await page.keyboard.press('j');
  await expect(latest.getByRole('link', { name: /aurora-large/u })).toBeFocused();
  await page.keyboard.press('k');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(new RegExp(`exchange=${exchangeId}`, 'u'));
});

test('a repeated repair is listed with the address to copy', async ({ page, context, harness }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await harness.open(page);
  await expect(page.getByText('Needs attention')).toHaveCount(0);
  for (let time = 0; time < 3; time += 1) {
    await harness.ask({ protocol: 'messages', path: '/v1/messages/v1/messages' });
  }
  const attention = page.getByRole('region', { name: 'Needs attention' });
  await expect(attention).toContainText('First client: the base address is too long');
  await expect(attention).toContainText('Gatehouse corrected this 3 times');
  await expectAccessible(page);
  await attention.getByRole('button', { name: 'Copy the recommended value' }).click();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(harness.url);
  await attention.getByRole('link', { name: 'Latest request' }).click();
  await expect(page).toHaveURL(/\/history\?exchange=/u);
});

test('a client that keeps failing is listed with a link to its failures', async ({
  page,
  harness,
}) => {
  for (let time = 0; time < 3; time += 1) await harness.ask({ scenario: 'forbidden' });
  await harness.open(page);
  const attention = page.getByRole('region', { name: 'Needs attention' });
  await expect(attention).toContainText('First client keeps failing');
  await expect(attention).toContainText('3 of its latest 3 requests failed, the last with 403');
  await attention.getByRole('link', { name: 'Failed requests' }).click();
  await expect(page).toHaveURL(/outcome=failed/u);
  await expect(page).toHaveURL(/First(?:\+|%20)client/u);
});

test('requests without a valid key are listed with a link to exactly these', async ({
  page,
  harness,
}) => {
  for (let time = 0; time < 3; time += 1) await harness.ask({ localKey: '' });
  await harness.ask({ scenario: 'forbidden' });
  await harness.open(page);
  const attention = page.getByRole('region', { name: 'Needs attention' });
  await expect(attention).toContainText('Requests without a valid local key were refused');
  await expect(attention).toContainText('3 recently, the last with 401, malformed local key.');
  await expectAccessible(page);
  await attention.getByRole('link', { name: 'Show requests' }).click();
  await expect(page.getByRole('row').filter({ hasText: '3 times' })).toHaveCount(1);
  await expect(page.getByText('1 exchange', { exact: true })).toBeVisible();
  await expect(
    page.getByRole('combobox', { name: 'Local key: Missing or not valid' }),
  ).toBeVisible();
});
