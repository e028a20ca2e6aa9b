import { expectAccessible } from '../../kit/ui/axe.ts';
import { openSandbox } from '../../../sandbox/server.ts';
import { SANDBOX_ID } from '../../../shared/sandbox-id.ts';
import { UpstreamId } from '../../../shared/upstream.ts';
import { freePort } from '../../kit/net/free-port.ts';
import { expect, test } from '../../kit/ui/kit.ts';

/** Whether nothing of an element is cut off at its top or bottom. */
function isUncut({ scrollHeight, clientHeight }: Element): boolean {
  return scrollHeight <= clientHeight;
}

/** Whether an element shows all of its text. */
function isWhole({ scrollWidth, clientWidth }: Element): boolean {
  return scrollWidth <= clientWidth;
}

test(
  'an empty Home says what to do next and is accessible',
  { tag: '@browser' },
  async ({ page, harness }) => {
    await harness.open(page);
    await expect(page.getByText('No requests in the last 30 days.')).toBeVisible();
    await expect(page.getByRole('heading', { name: 'No requests yet' })).toBeVisible();
    await expectAccessible(page);
    await page.getByRole('link', { name: 'first steps' }).click();
    await expect(page).toHaveURL(/\/welcome$/u);
  },
);

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
  await expect(today).toContainText('reported by the service');
  const days = page.getByRole('table', { name: /each day/u });
  await expect(days.getByRole('row')).toHaveCount(31);
  await expect(days.getByRole('row').last()).toContainText(/2\s*1\s*\d+\s*\d+/u);
  await today.getByRole('link', { name: '50% of requests' }).click();
  await expect(page.getByLabel('Search the history')).toHaveValue('failed since:today');
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

test('the latest requests include those made while another screen was open', async ({
  page,
  harness,
}) => {
  await harness.ask();
  await harness.open(page);
  const latest = page.getByRole('region', { name: 'Latest requests' });
  await expect(latest.getByRole('listitem')).toHaveCount(1);
  await page.getByRole('link', { name: 'Models', exact: true }).first().click();
  await expect(page.getByRole('heading', { level: 1, name: 'Models' })).toBeVisible();
  await harness.ask({ scenario: 'error-500' });
  await page.getByRole('link', { name: 'Home', exact: true }).click();
  await expect(latest.getByRole('listitem')).toHaveCount(2);
  await expect(latest.getByRole('listitem').first()).toContainText('500');
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
  await attention.getByRole('link', { name: 'Show requests' }).click();
  await expect(page).toHaveURL(/\/history\?filter=.*repair/u);
  await expect(page.getByText('3 requests')).toBeVisible();
});

test('a client that keeps failing is listed with a link to its failures', async ({
  page,
  harness,
}) => {
  for (let time = 0; time < 3; time += 1) await harness.ask({ scenario: 'forbidden' });
  await harness.open(page);
  const attention = page.getByRole('region', { name: 'Needs attention' });
  await expect(attention).toContainText('Requests of “First client” keep failing');
  await expect(attention).toContainText('All of its latest 3 requests failed, the last with 403');
  await attention.getByRole('link', { name: 'Failed requests' }).click();
  await expect(page).toHaveURL(/First(?:\+|%20)client/u);
  await expect(page.getByText('3 requests', { exact: true })).toBeVisible();
});

test('requests without a valid key are listed with a link to exactly these', async ({
  page,
  harness,
}) => {
  // A valid key of the same program after the refusals would end the alarm.
  await harness.ask({ scenario: 'forbidden' });
  for (let time = 0; time < 3; time += 1) await harness.ask({ localKey: '' });
  await harness.open(page);
  const attention = page.getByRole('region', { name: 'Needs attention' });
  await expect(attention).toContainText('has sent 3 requests with a key that cannot be read');
  await expectAccessible(page);
  await attention.getByRole('link', { name: 'Show requests' }).click();
  await expect(page.getByRole('row').filter({ hasText: '3 times' })).toHaveCount(1);
  await expect(page.getByText('3 requests', { exact: true })).toBeVisible();
  await expect(page.getByRole('combobox', { name: 'Local key: Missing or invalid' })).toBeVisible();
});

test('finding 2: after switching from a dead service, Home does not say that the new one cannot be reached', async ({
  page,
  harness,
}) => {
  const { upstreams } = await harness.calls();
  const more = { versionVendor: 'anthropic', caFile: null, proxyUrl: null };
  const form = { name: 'Dead', baseUrl: `http://127.0.0.1:${await freePort()}`, ...more };
  await upstreams.add({ ...form, key: 'sk-any-key', place: 'file', use: true, untested: true });
  for (let time = 0; time < 3; time += 1) await harness.ask();
  await harness.open(page);
  const alarms = page.getByRole('region', { name: 'Needs attention' });
  await expect(alarms.getByText('Dead cannot be reached')).toBeVisible();
  await expect(page.getByText('keep failing')).toHaveCount(0);
  await upstreams.use({ id: UpstreamId.parse(SANDBOX_ID) });
  await expect(page.getByText('Running with Sandbox')).toBeVisible();
  await expect(page.getByText('Needs attention')).toHaveCount(0);
});

test('a service that a test did not reach has an alarm, which can be checked again', async ({
  page,
  harness,
}) => {
  const { upstreams } = await harness.calls();
  const more = { versionVendor: 'anthropic', caFile: null, proxyUrl: null };
  const form = { name: 'Dead', baseUrl: `http://127.0.0.1:${await freePort()}`, ...more };
  await upstreams.add({ ...form, key: 'sk-any-key', place: 'file', use: true, untested: true });
  await upstreams.test({ form, key: null });
  await harness.open(page);
  const alarms = page.getByRole('region', { name: 'Needs attention' });
  await expect(alarms).toContainText('Nothing is listening at this address');
  await expect(page.getByRole('region', { name: /^Running with/u })).toContainText(
    'Nothing is listening at this address',
  );
  await expect(alarms.getByRole('link', { name: 'Failed requests' })).toHaveCount(0);
  await expectAccessible(page);
  await alarms.getByRole('button', { name: 'Check now' }).click();
  const toast = page.getByRole('alert').filter({ hasText: 'Dead was checked' });
  await expect(toast).toContainText('whether the service is up.');
  await expect.poll(() => toast.evaluate(isUncut)).toBe(true);
  await alarms.getByRole('link', { name: 'Use another service' }).click();
  await expect(page.getByRole('listitem', { name: 'Dead' })).toContainText(
    'Nothing is listening at this address',
  );
  await page.getByRole('link', { name: 'Models' }).click();
  const alerts = page.getByRole('main').getByRole('alert');
  await expect(alerts.filter({ hasText: 'The key was not sent.' })).toContainText(
    'Nothing is listening at this address. The key was not sent. Check the base address, and whether the service is up.',
  );
});

test('finding 9: a program without a key is named with its cause, and can be dismissed until it happens again', async ({
  page,
  harness,
}) => {
  const send = async () =>
    await fetch(`${harness.url}/v1/models`, { headers: { 'user-agent': 'lost-script/2 test' } });
  for (let time = 0; time < 5; time += 1) await send();
  await harness.open(page);
  const alarm = page.getByText('lost-script/2 has sent 5 requests without a key', { exact: true });
  await expect(alarm).toBeVisible();
  await page.getByRole('button', { name: /^Dismiss until it happens again: lost-script/u }).click();
  await expect(alarm).toHaveCount(0);
  await page.reload();
  await expect(page.getByRole('region', { name: 'Today' })).toBeVisible();
  await expect(alarm).toHaveCount(0);
  await send();
  const again = 'lost-script/2 has sent 6 requests without a key';
  await expect(page.getByText(again, { exact: true })).toBeVisible();
});

test("finding 3: figures of the sandbox are labelled, and left out of a service's", async ({
  page,
  harness,
}) => {
  await using service = await openSandbox();
  await harness.ask();
  await harness.open(page);
  const today = page.getByRole('region', { name: 'Today' });
  await expect(today).toContainText('Sandbox only, not charged');
  const { upstreams } = await harness.calls();
  const more = { versionVendor: 'anthropic', caFile: null, proxyUrl: null };
  const form = { name: 'The office', baseUrl: service.url, ...more };
  await upstreams.add({ ...form, key: service.key, place: 'file', use: true, untested: true });
  await expect(today).toContainText('Without the sandbox');
  await expect(today).toContainText('no requests yet');
});

test("the errors of today link to the same requests, without the sandbox's", async ({
  page,
  harness,
}) => {
  await using service = await openSandbox();
  for (let i = 0; i < 2; i += 1) await harness.ask({ scenario: 'error-500' });
  const { upstreams } = await harness.calls();
  const more = { versionVendor: 'anthropic', caFile: null, proxyUrl: null };
  const form = { name: 'The office', baseUrl: service.url, ...more };
  await upstreams.add({ ...form, key: service.key, place: 'file', use: true, untested: true });
  await harness.ask({ scenario: 'error-500' });
  await harness.open(page);
  await page.getByRole('link', { name: '100% of requests' }).click();
  await expect(page.getByText('1 request', { exact: true })).toBeVisible();
  await expect(page.getByLabel('Search the history')).toHaveValue(
    'failed since:today -service:sandbox',
  );
});

test('the latest requests name a failure in full, and how often it was refused', async ({
  page,
  harness,
}) => {
  for (let i = 0; i < 3; i += 1) expect((await harness.ask({ localKey: '' })).status).toBe(401);
  await harness.open(page);
  const row = page.getByRole('region', { name: 'Latest requests' }).getByRole('listitem');
  await expect(row).toHaveCount(1);
  await expect(row).toContainText('3 times');
  const words = row.locator('[data-words]');
  await expect(words).toHaveText('malformed key');
  expect(await words.evaluate(isWhole)).toBe(true);
});

test('with a service in use the latest requests are those of services, as the totals are', async ({
  page,
  harness,
}) => {
  await using service = await openSandbox();
  await harness.ask({ model: 'ember-mini' });
  const { upstreams } = await harness.calls();
  const more = { versionVendor: 'anthropic', caFile: null, proxyUrl: null };
  const form = { name: 'Acme', baseUrl: service.url, ...more };
  await upstreams.add({ ...form, key: service.key, place: 'file', use: true, untested: true });
  await harness.open(page);
  const latest = page.getByRole('region', { name: 'Latest requests' });
  await expect(latest).toContainText('Without the sandbox');
  await expect(latest.getByRole('listitem')).toHaveCount(0);
  await harness.ask({ model: 'aurora/aurora-large' });
  await expect(latest.getByRole('listitem')).toHaveCount(1);
  await expect(latest).toContainText('aurora/aurora-large');
  await upstreams.use({ id: UpstreamId.parse(SANDBOX_ID) });
  await expect(latest).toContainText('ember-mini');
  await expect(latest).not.toContainText('aurora/aurora-large');
});
