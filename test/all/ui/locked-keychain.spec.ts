import { openSandbox } from '../../../sandbox/server.ts';
import { KEYRING_INSTALLED, openSession } from '../../kit/process/keyring.ts';
import { expect, test } from '../../kit/ui/kit.ts';

test('a locked keychain is reported, and the key is read once it is unlocked', async ({
  page,
  startHarness,
}) => {
  test.skip(!KEYRING_INSTALLED, 'There is no keychain to start here.');
  test.slow();
  await using service = await openSandbox();
  await using session = await openSession();
  await session.startKeyring('unlocked');
  const harness = await startHarness({ environment: session.environment });
  const { upstreams } = await harness.calls();
  const more = { versionVendor: 'anthropic', caFile: null, proxyUrl: null };
  const form = { name: 'The office', baseUrl: service.url, ...more };
  await upstreams.add({ ...form, key: service.key, place: 'keychain' });
  await harness.open(page, '/settings');
  const office = page.getByRole('listitem', { name: 'The office' });
  await expect(office.getByText("stored in this system's keychain")).toBeVisible();
  await page.goto('about:blank');
  await harness.stop();
  await session.stopKeyring();
  await session.startKeyring('locked');
  await harness.start();
  await harness.open(page, '/settings');
  await expect(office.getByText('The keychain is locked.')).toBeVisible();
  await session.unlock();
  await office.getByRole('button', { name: 'Read again' }).click();
  await expect(office.getByText("stored in this system's keychain")).toBeVisible();
});
