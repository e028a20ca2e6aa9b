import { expect, test } from '@playwright/test';
import { APP_STARTED } from '../../../../host/process/launcher-messages.ts';
import { DesktopApp } from '../../../kit/desktop/kit.ts';

test(
  'the app starts its engine and shows its page in a window',
  { tag: '@desktop' },
  async ({ page }) => {
    await using app = await DesktopApp.start();
    await app.attachPage(page);
    await expect.poll(() => app.reported, 'it runs').toEqual([APP_STARTED]);
    await app.utility('Gatehouse engine');
    const window = await app.snapshot.until(({ windows }) =>
      [...windows.values()].find(({ visible }) => visible),
    );
    expect(window).toMatchObject({ title: 'Gatehouse', url: 'app://ui/' });
    const seen = await page.evaluate(() => {
      const names = ['gatehouse', 'require', 'process', 'ipcRenderer'];
      return names.map((name): unknown => Reflect.get(globalThis, name));
    });
    expect(seen, 'of the app, the page sees nothing but this').toEqual([
      { platform: process.platform },
      undefined,
      undefined,
      undefined,
    ]);
  },
);
