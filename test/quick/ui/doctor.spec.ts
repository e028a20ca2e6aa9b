import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expectAccessible } from '../../kit/ui/axe.ts';
import type { Harness } from '../../kit/ui/harness.ts';
import { expect, test } from '../../kit/ui/kit.ts';
import { panel, result, whenChecked } from '../../kit/ui/steps/doctor.ts';

test.use({ harnessOptions: { programs: ['claude'] } });

const MODEL = 'aurora/aurora-large';

function settingsOf({ home }: Harness): string {
  return join(home, '.claude', 'settings.json');
}

/** Connects Claude Code as the window does. */
async function connectClaude(harness: Harness): Promise<void> {
  const { connections } = await harness.calls();
  const choice = { program: 'claude-code', model: MODEL } as const;
  const { token } = await connections.preview(choice);
  await connections.connect({ ...choice, token });
}

test('checks Gatehouse, the sandbox and a connected program, and finds what is wrong with its settings', async ({
  page,
  harness,
  target,
}) => {
  await connectClaude(harness);
  await harness.open(page, '/doctor');
  await whenChecked(page);
  await expect(panel(page, 'Gatehouse')).toContainText(`Gatehouse is running at ${harness.url}.`);
  await expect(panel(page, 'Gatehouse')).toContainText('The database was checked and is intact.');
  await expect(panel(page, 'Service')).toContainText('The sandbox is used');
  const program = panel(page, 'Claude Code');
  await expect(program).toContainText(`Its settings lead here (${harness.url}).`);
  await expectAccessible(page);

  const file = settingsOf(harness);
  const good = await readFile(file, 'utf8');
  await writeFile(file, good.replaceAll(harness.url, 'http://127.0.0.1:1'));
  await page.getByRole('button', { name: 'Check again' }).click();
  await expect(result(page)).toContainText('1 problem');
  const found = program.getByRole('listitem').filter({ hasText: 'Problem' });
  await expect(found).toContainText(
    `Its settings lead to http://127.0.0.1:1, and Gatehouse is at ${harness.url}.`,
  );
  await expect(found).toContainText('Connect it again.');
  // The app brings no command line.
  const commands = target === 'browser' ? 1 : 0;
  await expect(found.getByText('connect claude-code')).toHaveCount(commands);
  await expect(found.getByRole('button', { name: 'Copy the command' })).toHaveCount(commands);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await expectAccessible(page);
  }

  await found.getByRole('link', { name: 'Connect again' }).click();
  const dialog = page.getByRole('dialog', { name: 'Connect a program' });
  await dialog.getByRole('button', { name: 'Make this change' }).click();
  await dialog.getByRole('button', { name: 'Done' }).click();
  await harness.open(page, '/doctor');
  await whenChecked(page);
  await expect(program).toContainText(`Its settings lead here (${harness.url}).`);
});
