import { join } from 'node:path';
import { readFile } from 'node:fs/promises';
import { expect, test } from '@playwright/test';
import { DesktopApp } from '../../../kit/desktop/kit.ts';

const MAIN = join(
  import.meta.dirname,
  '..',
  '..',
  '..',
  'kit',
  'desktop',
  'electron-mock',
  'sample',
  'ports-process.ts',
);

test('a page, its preload, the main process and a utility process reach each other', async ({
  page,
}) => {
  await using app = await DesktopApp.start({ main: MAIN });
  await app.attachPage(page);
  await expect(page.locator('body[data-said="from main"][data-sum="5"]')).toBeAttached();
  expect(await page.evaluate(() => Reflect.get(window, 'sample'))).toEqual({ sandboxed: true });
  const hidden = ['require', 'process', 'ipcRenderer', 'module'];
  const seen = await page.evaluate(
    (names) => [
      ...names.filter((name) => name in globalThis),
      // The ways in and out of the preload's world have names that nobody can guess.
      ...Object.getOwnPropertyNames(globalThis).filter((name) =>
        /^(?:send|take)[\da-f]{32}$/u.test(name),
      ),
    ],
    hidden,
  );
  expect(seen, 'of the preload, the page sees nothing').toEqual([]);
  const ranged = page.evaluate(async () => {
    const answer = await fetch('/range', { headers: { range: 'bytes=2-5' } });
    return [answer.status, await answer.text()];
  });
  expect(await ranged).toEqual([206, 'bytes=2-5']);
});

test('text and bytes pass through a port in both directions, and both ends see its closing', async ({
  page,
}) => {
  await using app = await DesktopApp.start({ main: MAIN });
  await app.attachPage(page);
  const echoed = await page.evaluate(async () => {
    const { port1, port2 } = new MessageChannel();
    const answers: unknown[] = [];
    const both = Promise.withResolvers<void>();
    port1.addEventListener('message', ({ data }) => {
      answers.push(data instanceof Uint8Array ? [...data] : data);
      if (answers.length === 2) both.resolve();
    });
    port1.start();
    window.postMessage('echo', location.origin, [port2]);
    port1.postMessage('text');
    port1.postMessage(Uint8Array.of(0, 127, 255));
    await both.promise;
    port1.close();
    return answers;
  });
  expect(echoed).toEqual(['text', [0, 127, 255]]);
  await app.snapshot.until(({ printed }) => printed.includes('A port closed.'));
  await page.evaluate(async () => {
    const { port1, port2 } = new MessageChannel();
    const closed = new Promise((resolve) => port1.addEventListener('close', resolve));
    port1.start();
    window.postMessage('refused', location.origin, [port2]);
    await closed;
  });
});

test('the app controls the navigation, windows, downloads and crashes of the page', async ({
  page,
}, info) => {
  await using app = await DesktopApp.start({ main: MAIN });
  await app.attachPage(page);
  const before = page.url();
  await page.evaluate(() => {
    location.assign('http://127.0.0.1:9/elsewhere');
  });
  await app.snapshot.until(({ printed }) =>
    printed.includes('It would go to http://127.0.0.1:9/else'),
  );
  await page.evaluate(() => void window.open('http://127.0.0.1:9/another'));
  await app.snapshot.until(({ printed }) =>
    printed.includes('It would open http://127.0.0.1:9/an'),
  );
  expect(page.url()).toBe(before);
  await page.evaluate(() => {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob(['saved']));
    link.download = 'some.txt';
    link.click();
  });
  const dialog = await app.dialog();
  expect(dialog).toMatchObject({ kind: 'save', options: { defaultPath: 'some.txt' } });
  const path = info.outputPath('saved.txt');
  dialog.answer({ paths: [path] });
  await app.snapshot.until(({ printed }) => printed.includes('blob:sample://here is completed'));
  expect(await readFile(path, 'utf8')).toBe('saved');
  const cdp = await page.context().newCDPSession(page);
  // A page that has crashed answers nothing.
  cdp.send('Page.crash').catch(() => null);
  await app.snapshot.until(({ printed }) => printed.includes('crashed'));
});
