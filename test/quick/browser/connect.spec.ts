import { expectAccessible } from '../../kit/ui/axe.ts';
import { expect, test } from '../../kit/ui/kit.ts';
import {
  MODEL,
  SETTINGS,
  SET_LINES,
  withCommas,
  settingsOf,
  writeSettings,
  readSettings,
  openChange,
  chooseModel,
  change,
} from '../../kit/ui/steps/connect.ts';

test.use({ harnessOptions: { programs: ['claude', 'codex'] } });

const SMALL_MODEL = 'aurora/aurora-small';

test('connects Claude Code into settings that are there, and disconnects it byte for byte', async ({
  page,
  harness,
}) => {
  await writeSettings(harness, SETTINGS);
  await harness.open(page, '/clients');
  const dialog = await openChange(page);
  const lines = dialog.getByRole('group', { name: `Changed lines of ${settingsOf(harness)}` });
  await expect(lines).toContainText(`+     "ANTHROPIC_BASE_URL": "${harness.url}"`);
  await expect(lines).toContainText('"EDITOR": "vim"');
  await chooseModel(page, 'Model for small tasks', SMALL_MODEL);
  await expect(lines).toContainText(`"ANTHROPIC_DEFAULT_HAIKU_MODEL": "${SMALL_MODEL}"`);
  expect(await readSettings(harness)).toBe(SETTINGS);
  await expectAccessible(page);
  await change(dialog).click();
  await expect(dialog.getByText('Claude Code is connected as “Claude Code”')).toBeVisible();
  await expect(dialog.getByRole('list', { name: 'Written files' })).toContainText(
    settingsOf(harness),
  );
  await expect(dialog.getByRole('list', { name: 'Afterwards' })).toContainText('Claude Code again');
  await expectAccessible(page);

  const written = await readSettings(harness);
  const key = /gh-[\w-]{43}/u.exec(written)?.[0] ?? '';
  expect(written.replaceAll(SET_LINES, '')).toBe(withCommas(SETTINGS));
  expect(written).toContain(`"ANTHROPIC_MODEL": "${MODEL}"`);
  expect(await page.content()).not.toContain(key);
  const { status, exchangeId } = await harness.ask({ protocol: 'messages', localKey: key });
  expect(status).toBe(200);
  const { history } = await harness.calls();
  const recorded = async () => (await history.page({ filter: {}, limit: 5 })).exchanges;
  await expect
    .poll(async () => (await recorded()).find(({ id }) => id === exchangeId)?.clientName)
    .toBe('Claude Code');

  await dialog.getByRole('link', { name: 'the page of the client' }).click();
  const pane = page.getByRole('complementary', { name: 'Claude Code' });
  const section = pane.getByRole('region', { name: 'Connected program' });
  await expect(section).toContainText(`Claude Code uses ${MODEL} through ${harness.url}`);
  await expect(section.getByRole('listitem')).toContainText(
    /settings\.json as Gatehouse wrote it/u,
  );
  await expect(pane.getByRole('region', { name: 'Program settings' })).toHaveCount(0);
  await expectAccessible(page);
  await section.getByRole('button', { name: 'Disconnect' }).click();
  const question = page.getByRole('dialog', { name: 'Disconnect Claude Code' });
  await expect(question).toContainText(`−     "ANTHROPIC_BASE_URL": "${harness.url}"`);
  await expectAccessible(page);
  await question.getByRole('button', { name: 'Disconnect' }).click();
  await expect(question.getByRole('status')).toContainText('as it was before');
  expect(await readSettings(harness)).toBe(SETTINGS);
  await question.getByRole('button', { name: 'Done' }).click();
  await expect(pane).toContainText('Its program was disconnected');
  await expect(section).toHaveCount(0);
  expect((await harness.ask({ localKey: key })).status).toBe(401);
});
