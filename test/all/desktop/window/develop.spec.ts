import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '../../../kit/ui/kit.ts';
import { Development } from '../../../kit/process/development.ts';
import { DesktopApp } from '../../../kit/desktop/kit.ts';

/** In place of Electron: tells how it was started, and ends when it is asked to. */
const STAND_IN = `#!${process.execPath}
process.on('SIGTERM', () => process.exit(0));
setInterval(() => undefined, 60_000);
console.log('opened', process.argv[2], 'with', process.env.GATEHOUSE_PAGE_SERVER);
`;
const OPENED = /^opened (\S+ with \S+)$/u;

test('under npm run dev the page is updated in place, and the app restarts when its code changes', async ({
  page,
}) => {
  test.setTimeout(180_000);
  await using development = await Development.start(STAND_IN);
  const [folder = '', server = ''] = (await development.line(OPENED)).split(' with ');
  expect(folder).toBe(join(development.dir, 'out', 'dev'));
  await using app = await DesktopApp.start({
    main: join(folder, 'desktop', 'main.js'),
    environment: { GATEHOUSE_PAGE_SERVER: server },
  });
  await app.attachPage(page);
  // The first start bundles the libraries of the page.
  const heading = page.getByRole('heading', { level: 1, name: 'First steps' });
  await expect(heading).toBeVisible({ timeout: 90_000 });
  await page.getByRole('button', { name: 'Skip' }).click();
  const rail = page.getByRole('navigation', { name: 'Screens' });
  await expect(rail.getByRole('link', { name: 'Home' })).toBeVisible();
  await page.evaluate(() => Object.assign(globalThis, { isSamePage: true }));

  await development.replace(
    'renderer/layout/navigation-rail.tsx',
    "label: 'Home'",
    "label: 'Harness'",
  );
  await expect(rail.getByRole('link', { name: 'Harness' })).toBeVisible();
  expect(await page.evaluate(() => Reflect.get(globalThis, 'isSamePage'))).toBe(true);

  await development.replace('electron/tray/tray-menu.ts', 'LABEL_LENGTH = 90', 'LABEL_LENGTH = 91');
  expect(await development.line(OPENED)).toBe(`${folder} with ${server}`);
  await page.close();
});

test('nothing of development is in the built app', async () => {
  const folder = join(import.meta.dirname, '..', '..', '..', '..', 'out', 'desktop');
  const programs = (await readdir(folder)).filter((name) => /\.c?js$/u.test(name));
  const texts = await Promise.all(
    programs.map(async (name) => await readFile(join(folder, name), 'utf8')),
  );
  expect(texts.join('')).toContain('app://');
  expect(texts.join('')).not.toContain('GATEHOUSE_PAGE_SERVER');
});
