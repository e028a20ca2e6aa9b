import { readFile } from 'node:fs/promises';
import { openSandbox } from '../../../../sandbox/server.ts';
import { upstreamFormFor } from '../../../kit/gateway/upstream-form.ts';
import { freePort } from '../../../kit/net/free-port.ts';
import { expectAccessible } from '../../../kit/ui/axe.ts';
import { expect, test } from '../../../kit/ui/kit.ts';
import { panel, result, whenChecked } from '../../../kit/ui/steps/doctor.ts';

test.use({ harnessOptions: { programs: ['claude'] } });

const MODEL = 'aurora/aurora-large';

test('a service that is gone and a wrong key are problems that lead to Settings', async ({
  page,
  harness,
}) => {
  await using service = await openSandbox();
  const { upstreams } = await harness.calls();
  const form = { ...upstreamFormFor(service.url), name: 'Mine' };
  const key = 'sk-a-wrong-key';
  await upstreams.add({ ...form, key, place: 'file', use: true, untested: true });
  await harness.open(page, '/doctor');
  const panelOfService = panel(page, 'Service');
  const problem = panelOfService.getByRole('listitem').filter({ hasText: 'Problem' });
  await expect(problem).toContainText('The service refused the service key (401).');
  await service.close();
  await whenChecked(page);
  await page.getByRole('button', { name: 'Check again' }).click();
  await expect(problem).toContainText('could not be reached');
  await expect(panel(page, 'Gatehouse')).toContainText('Good');
  await problem.getByRole('link', { name: 'Open Services' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Settings' })).toBeVisible();
});

test('tries a model with the keyboard alone, after saying that it costs nothing', async ({
  page,
  harness,
}) => {
  await harness.open(page, '/doctor');
  const trial = panel(page, 'Try a model');
  await expect(trial).toContainText('No charge (sandbox).');
  await expect(trial.getByRole('button', { name: 'Try it' })).toBeDisabled();
  const model = trial.getByRole('combobox', { name: 'Model' });
  await model.focus();
  await page.keyboard.type(MODEL);
  await expect(page.getByRole('option', { name: MODEL, exact: true })).toBeVisible();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await expect(model).toHaveValue(MODEL);
  await trial.getByRole('button', { name: `Try ${MODEL}` }).press('Enter');
  const answers = trial.getByRole('list', { name: `Answers of ${MODEL}` });
  await expect(answers.getByRole('listitem')).toHaveCount(3);
  for (const name of ['Chat', 'Responses', 'Messages']) {
    await expect(answers).toContainText(`${name}, ${MODEL}: it answers in pieces`);
  }
  await expectAccessible(page);
});

test(
  'a model that is typed before the models were fetched is offered once they are',
  { tag: '@browser' },
  async ({ page, harness }) => {
    const { promise: released, resolve } = Promise.withResolvers<void>();
    let isFetched = false;
    await page.route('**/rpc/models/list', async (route) => {
      const response = await route.fetch();
      const list = isFetched ? {} : { fetchedAt: null, problem: null, models: [] };
      const { json, ...rest } = await response.json();
      await route.fulfill({ response, json: { ...rest, json: { ...json, ...list } } });
    });
    await page.route('**/rpc/models/refresh', async (route) => {
      await released;
      isFetched = true;
      await route.continue();
    });
    await harness.open(page, '/doctor');
    const model = panel(page, 'Try a model').getByRole('combobox', { name: 'Model' });
    await model.fill(MODEL);
    resolve();
    await expect(page.getByRole('option', { name: MODEL, exact: true })).toBeVisible();
    await expect(model).toBeFocused();
    await expect(model).toHaveValue(MODEL);
  },
);

test('shows a report before it is copied or saved', async ({ page, harness }) => {
  await harness.open(page, '/doctor');
  await page.getByRole('button', { name: 'Report for a bug' }).click();
  const dialog = page.getByRole('dialog', { name: 'Report for a bug' });
  const text = dialog.getByRole('region', { name: 'Text of the report' });
  await expect(text).toContainText('Gatehouse is running at');
  await expect(text).toContainText('Repairs     on');
  await expect(text).not.toContainText(harness.home);
  await expect(dialog.getByRole('button', { name: 'Copy' })).toBeEnabled();
  await expectAccessible(page);
  const saved = page.waitForEvent('download');
  await dialog.getByRole('button', { name: 'Download' }).click();
  const download = await saved;
  expect(download.suggestedFilename()).toBe('gatehouse-report.txt');
  expect(await readFile(await download.path(), 'utf8')).toContain('Gatehouse is running at');
});

test('a check that takes long keeps nothing else waiting, and is stopped', async ({
  page,
  harness,
}) => {
  const { createServer } = await import('node:net');
  const port = await freePort();
  await using stack = new AsyncDisposableStack();
  // It takes connections and never answers.
  const server = createServer(() => undefined).listen(port, '127.0.0.1');
  stack.defer(() => void server.close());
  const { upstreams } = await harness.calls();
  const form = { ...upstreamFormFor(`http://127.0.0.1:${port}`), name: 'Silent' };
  await upstreams.add({ ...form, key: 'sk-key', place: 'file', use: true, untested: true });
  await harness.open(page, '/doctor');
  await expect(panel(page, 'Gatehouse')).toContainText('Gatehouse is running at');
  await expect(panel(page, 'Programs')).toContainText('No program is connected.');
  await expect(result(page)).toHaveText('Checking…');
  await page.getByRole('button', { name: 'Stop' }).click();
  await expect(panel(page, 'Service')).toContainText('stopped before it had a result');
  await expect(result(page)).not.toHaveText('Checking…');
  await expectAccessible(page);
});

test('is found from the palette and from Settings, and fits a narrow window', async ({
  page,
  harness,
}) => {
  await page.setViewportSize({ width: 420, height: 800 });
  await harness.open(page, '/settings');
  await page.getByRole('link', { name: 'Check everything' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Doctor' })).toBeVisible();
  await whenChecked(page);
  await expectAccessible(page);
  await harness.open(page, '/');
  await page.keyboard.press('Control+k');
  await page.getByRole('textbox', { name: 'Go to' }).fill('check everything');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'Doctor' })).toBeVisible();
});
