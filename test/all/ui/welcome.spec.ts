import { openSandbox } from '../../../sandbox/server.ts';
import { expectAccessible } from '../../kit/ui/axe.ts';
import { expect, test } from '../../kit/ui/kit.ts';
import { connect } from '../../kit/ui/steps/first-steps.ts';

test.use({ harnessOptions: { programs: [], setUp: false } });

test('finding 17: one request can be sent from here, with the key of the client, and its cost is named before', async ({
  page,
  harness,
}) => {
  await harness.open(page);
  await page.getByRole('button', { name: 'Use the sandbox' }).click();
  await connect(page, 'Cline');
  await page.getByRole('button', { name: 'Continue', exact: true }).click();
  const send = page.getByRole('button', { name: 'Send one from here' });
  await expect(send).toHaveAccessibleDescription(
    'Sends one short request to aurora/aurora-large with the key of “Cline”. No charge (sandbox).',
  );
  await expectAccessible(page);
  await send.press('Enter');
  const answer = page.getByRole('status').filter({ hasText: 'It works.' });
  await expect(answer).toContainText(
    'The request from here got an answer. “Cline” has not sent one',
  );
  await expect(page.getByText('Hello from the sandbox')).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Open in History' }).click();
  const exchanges = page.getByRole('grid', { name: 'Exchanges' });
  await expect(exchanges.getByRole('row').filter({ hasText: 'Cline' })).toBeVisible();
});

test('a first request that works ends the first steps, whichever way they are left', async ({
  page,
  harness,
}) => {
  await harness.open(page);
  await page.getByRole('button', { name: 'Use the sandbox' }).click();
  await page.getByRole('button', { name: 'Skip this step' }).click();
  await expect(page.getByRole('button', { name: 'Skip', exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'Send one from here' }).click();
  await expect(page.getByText('It works.', { exact: true })).toBeVisible();
  await expect(page.getByRole('img', { name: 'completed' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Done' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Skip', exact: true })).toHaveCount(0);
  await page.getByRole('link', { name: 'Open in History' }).click();
  await page.getByRole('link', { name: 'Home', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Home' })).toBeVisible();
});

test('steps that are left before a request has worked continue where they were, without the key', async ({
  page,
  harness,
}) => {
  await harness.open(page);
  await page.getByRole('button', { name: 'Use the sandbox' }).click();
  const key = await connect(page, 'Cline');
  await page.getByRole('link', { name: 'Models' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Models' })).toBeVisible();
  await page.getByRole('link', { name: 'Home', exact: true }).click();
  const note = page.getByRole('alert').filter({ hasText: 'The local key of Cline' });
  await expect(note).toContainText('It was shown only once, when it was created.');
  expect(await page.content()).not.toContain(key);
  expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain(key);
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Continue', exact: true }).click();
  await page.reload();
  await expect(
    page.getByText('Ask something in “Cline”, or send a request from here.'),
  ).toBeVisible();
  await page.getByRole('button', { name: 'Back' }).click();
  await expect(note).toBeVisible();
  const { clients } = await harness.calls();
  const cline = (await clients.list()).find(({ name }) => name === 'Cline');
  if (cline !== undefined) await clients.revoke({ id: cline.id });
  await expect(page.getByRole('textbox', { name: 'Filter the programs' })).toBeVisible();
  await page.getByRole('button', { name: 'Skip this step' }).click();
  await page.getByRole('button', { name: 'Finish without a test' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Home' })).toBeVisible();
  await harness.open(page, '/welcome');
  await expect(page.getByText('Which service do you use?')).toBeVisible();
});

test('Enter picks the first program found, and values of any program are no numbered steps', async ({
  page,
  harness,
}) => {
  await harness.open(page);
  await page.getByRole('button', { name: 'Use the sandbox' }).click();
  const filter = page.getByRole('textbox', { name: 'Filter the programs' });
  await filter.pressSequentially('another');
  await filter.press('Enter');
  await expect(page.getByRole('combobox', { name: 'Program' })).toHaveValue('Another program');
  await page.getByRole('button', { name: 'Create local key' }).click();
  await expect(page.getByRole('heading', { name: 'In the program' })).toBeVisible();
  const values = page.getByRole('list').filter({ hasText: 'Base address for programs' });
  await expect(values).toHaveAttribute('data-plain', 'true');
});

// The service of the environment is the command's.
test(
  'finding 17: without a client the window sends it, and a service’s charge is announced',
  { tag: '@browser' },
  async ({ page, startHarness }) => {
    await using service = await openSandbox();
    const harness = await startHarness({
      setUp: false,
      environment: { GATEHOUSE_UPSTREAM_URL: service.url, GATEHOUSE_UPSTREAM_KEY: service.key },
    });
    await harness.open(page);
    await page.getByRole('button', { name: 'Keep using it' }).click();
    await page.getByRole('button', { name: 'Skip this step' }).click();
    const send = page.getByRole('button', { name: 'Send one from here' });
    await expect(send).toBeDisabled();
    await page.getByRole('combobox', { name: 'Model' }).click();
    await page.getByRole('option', { name: 'ember-mini', exact: true }).click();
    await expect(send).toHaveAccessibleDescription(
      /^Sends one short request to ember-mini\. .+ charges for it as for any other: about 30 tokens\.$/u,
    );
    expect(service.charges).toBe(0);
    await send.click();
    await expect(page.getByText('The request from here got an answer.')).toBeVisible();
    expect(service.charges).toBe(1);
    const [exchange] = (await (await harness.calls()).history.page({ filter: {}, limit: 1 }))
      .exchanges;
    expect(exchange).toMatchObject({ clientName: 'Window', modelSent: 'ember-mini', status: 200 });
  },
);

test('finding 17: a request from before the window was opened completes the step', async ({
  page,
  harness,
}) => {
  expect((await harness.ask()).status).toBe(200);
  await harness.open(page);
  await page.getByRole('button', { name: 'Use the sandbox' }).click();
  await connect(page, 'Zed');
  await page.getByRole('button', { name: 'Continue', exact: true }).click();
  await expect(page.getByText('It works.', { exact: true })).toBeVisible();
  await expect(page.getByText('“Zed” has not sent one yet.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Done' })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Send one from here' })).toBeVisible();
});

test('a client’s mistake is shown as advice at its first request', async ({ page, harness }) => {
  await harness.open(page);
  await page.getByRole('button', { name: 'Use the sandbox' }).click();
  const key = await connect(page, 'Cline');
  await page.getByRole('button', { name: 'Continue', exact: true }).click();
  await harness.ask({ localKey: key, path: '/chat/completions' });
  await expect(
    page.getByText(
      '“Cline” asked for /chat/completions. Gatehouse sent it to /v1/chat/completions.',
    ),
  ).toBeVisible();
  await expect(page.getByRole('button', { name: 'Copy the recommended value' })).toBeVisible();
});

test('a request with a wrong key is reported, and the step keeps waiting', async ({
  page,
  harness,
}) => {
  await harness.open(page);
  await page.getByRole('button', { name: 'Use the sandbox' }).click();
  const key = await connect(page, 'Codex');
  await page.getByRole('button', { name: 'Continue', exact: true }).click();
  await expect(page.getByText('Waiting for the first request…')).toBeVisible();
  await harness.ask({ localKey: 'gh-something-else-entirely' });
  await expect(page.getByRole('status').filter({ hasText: 'failed' })).toContainText(
    'The client sent a key that Gatehouse does not know. Give the client a new local key',
  );
  await harness.ask({ localKey: key });
  await expect(page.getByText('It works.', { exact: true })).toBeVisible();
});

test('a pasted endpoint is corrected, a wrong key reported, and a key file only offered', async ({
  page,
  harness,
  provoked,
}) => {
  // Planned refusals are answers with status 422, which browsers note.
  provoked(/status of 422/u);
  await using service = await openSandbox();
  await harness.open(page);
  const address = page.getByRole('textbox', { name: 'Base address' });
  await address.fill(`${service.url}/v1/chat/completions/`);
  await expect(page.getByText(`Gatehouse uses ${service.url}`)).toBeVisible();
  const key = page.getByLabel('Service key', { exact: true });
  await key.fill('sandbox-wrong-key-of-somebody');
  await page.getByRole('button', { name: 'Test and connect' }).click();
  await expect(page.getByText('The test failed')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Use it anyway' })).toBeVisible();

  await key.fill(service.key);
  await page.getByRole('button', { name: 'Test and connect' }).click();
  await expect(page.getByText('Could not save the key')).toBeVisible();
  await page.getByRole('button', { name: 'Store it in a plain-text file' }).click();
  await expect(page.getByText('Which program do you want to connect first?')).toBeVisible();

  const local = await connect(page, 'Another program');
  // The models of this service were never requested.
  // Set-up never offers a wrong model: no model has answered yet, so the person is asked.
  await expect(page.getByRole('combobox', { name: 'Model' })).toHaveValue('');
  await expect(page.getByText('CHOOSE_A_MODEL').first()).toBeVisible();
  await page.getByRole('button', { name: 'Continue', exact: true }).click();
  const served = service.nextRequest();
  await harness.ask({ localKey: local });
  await served;
  await expect(page.getByText('“My program” sent a request and got an answer')).toBeVisible();
  expect(await page.content()).not.toContain(service.key);
});

test('missing values are shown at their fields', async ({ page, harness, provoked }) => {
  provoked(/status of 422/u);
  await harness.open(page);
  await page.getByRole('button', { name: 'Test and connect' }).click();
  await expect(page.getByText('Enter the address of the service.')).toBeVisible();
  await expect(page.getByText('Enter the service key.')).toBeVisible();
  const address = page.getByRole('textbox', { name: 'Base address' });
  await address.fill('ftp://models.example.com');
  await address.blur();
  await expect(address).toHaveAttribute('aria-invalid', 'true');
});

test('a tool that cannot reach this machine is listed with the reason', async ({
  page,
  harness,
}) => {
  await harness.open(page);
  await page.getByRole('button', { name: 'Use the sandbox' }).click();
  await expect(page.getByRole('list', { name: 'Cannot be connected' })).toContainText(
    'Cursor’s own servers make the call',
  );
  await expect(page.getByRole('button', { name: /^Cursor/u })).toHaveCount(0);
});

test('the steps can be skipped permanently and reopened at any time', async ({ page, harness }) => {
  await harness.open(page);
  await page.getByRole('button', { name: 'Skip' }).click();
  await expect(page.getByRole('heading', { name: 'Home' })).toBeVisible();
  await harness.open(page);
  await expect(page.getByRole('heading', { name: 'Home' })).toBeVisible();
  await harness.open(page, '/welcome');
  await expect(page.getByText('Which service do you use?')).toBeVisible();
});

test(
  'a service set for this run is shown, and the steps continue with it',
  { tag: '@browser' },
  async ({ page, startHarness }) => {
    await using service = await openSandbox();
    const harness = await startHarness({
      setUp: false,
      environment: { GATEHOUSE_UPSTREAM_URL: service.url, GATEHOUSE_UPSTREAM_KEY: service.key },
    });
    await harness.open(page);
    await expect(page.getByText('The service is set for this run')).toBeVisible();
    await expect(page.getByRole('button', { name: 'Use the sandbox' })).toHaveCount(0);
    await page.getByRole('button', { name: 'Keep using it' }).click();
    await expect(page.getByText('Which program do you want to connect first?')).toBeVisible();
  },
);

test('the key of a service is promised to the keychain only where there is one', async ({
  page,
  harness,
}) => {
  const { upstreams } = await harness.calls();
  const places = await upstreams.keyPlaces();
  const keychain = places.find(({ place }) => place === 'keychain');
  await harness.open(page);
  const form = page.getByRole('form', { name: 'Your service' });
  await expect(form).toContainText(
    keychain?.works === true ? 'Saved in the system keychain' : (keychain?.reason ?? ''),
  );
  await expect(form.getByText('Saved in the system keychain')).toHaveCount(
    keychain?.works === true ? 1 : 0,
  );
});
