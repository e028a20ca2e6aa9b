import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openSandbox } from '../../../sandbox/server.ts';
import { DesktopApp } from '../../kit/desktop/kit.ts';
import { chat, engineOf, openFolder, openFolderOf, recordsIn } from './served.ts';

/** The mock is started with it, as Electron is from sources. */
const MAIN = expect.stringMatching(/main\.js$/u);
const log = (dataDir: string) => readFile(join(dataDir, 'logs', 'engine.log'), 'utf8');

test.each([
  ['thrown', 'Restart', { ELECTRON_MOCK_PACKAGED: '1', APPIMAGE: '/opt/Gatehouse.AppImage' }],
  ['rejected', 'Quit', {}],
] as const)(
  'a fault of the app, %s, is told once, and %s lets what runs end',
  async (how, way, environment) => {
    await using sandbox = await openSandbox();
    await using folder = await openFolderOf(sandbox);
    await using app = await DesktopApp.start({ ...folder, environment, args: ['--hidden'] });
    const engine = await engineOf(app);
    const answer = await chat(engine, folder.localKey, 'gate=1');
    const faults = [app.fault(how, 'A gear broke'), app.fault(how, 'Another gear broke')];
    await Promise.all(faults);
    const dialog = await app.dialog();
    expect(dialog).toMatchObject({ kind: 'message', options: { buttons: [way, 'Not now'] } });
    expect((await chat(engine, folder.localKey)).status, 'it serves meanwhile').toBe(200);
    dialog.answer({ button: 0 });
    sandbox.openGate(1);
    expect(await answer.text()).toContain('[DONE]');
    expect(await app.end()).toBe(0);
    expect(app.snapshot.dialogs).toEqual([]);
    const lines = await log(folder.dataDir);
    expect(lines).toMatch(/The app has an error\. reason="Error: A gear broke\\n/u);
    expect(lines).toMatch(/The app has an error\. reason="Error: Another gear broke\\n/u);
    const relaunched = app.snapshot.calls.filter(({ name }) => name === 'app.relaunch');
    expect(relaunched.map(({ args }) => args[0])).toEqual(
      way === 'Quit' ? [] : [{ args: [MAIN], execPath: '/opt/Gatehouse.AppImage' }],
    );
    const records = await recordsIn(folder.dataDir);
    expect(records.map(({ endedBy }) => endedBy)).toEqual(['service', 'service']);
  },
);

test('a fault that is dismissed, or happens while the app ends, is only logged', async () => {
  await using sandbox = await openSandbox();
  await using folder = await openFolderOf(sandbox);
  await using app = await DesktopApp.start({ ...folder, args: ['--hidden'] });
  const engine = await engineOf(app);
  await app.fault('thrown', 'A gear broke');
  (await app.dialog()).answer({ button: 1 });
  await app.fault('rejected', 'It broke again');
  const answer = await chat(engine, folder.localKey, 'gate=1');
  app.quit();
  await app.menuWith(/^Quitting when/u);
  await app.fault('thrown', 'It broke at the end');
  sandbox.openGate(1);
  expect(await answer.text()).toContain('[DONE]');
  expect(await app.end()).toBe(0);
  expect(app.snapshot.dialogs).toEqual([]);
  expect((await log(folder.dataDir)).match(/The app has an error\./gu)).toHaveLength(3);
});

test('many faults of the largest size cause one question and a small log', async () => {
  await using folder = await openFolder();
  await using app = await DesktopApp.start({ ...folder, args: ['--hidden'] });
  await engineOf(app);
  const message = 'x'.repeat(3_000_000);
  const faults = Array.from({ length: 50 }, () => app.fault('thrown', message));
  await Promise.all(faults);
  const dialog = await app.dialog();
  await app.fault('rejected', 'The last one');
  await expect.poll(() => log(folder.dataDir)).toContain('The last one');
  const lines = await log(folder.dataDir);
  expect(lines.match(/The app has an error\./gu)).toHaveLength(51);
  expect(lines.length).toBeLessThan(1_000_000);
  expect(app.snapshot.dialogs, 'no second one').toEqual([]);
  dialog.answer({ button: 0 });
  expect(await app.end()).toBe(0);
});
