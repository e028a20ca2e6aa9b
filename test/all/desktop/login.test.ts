import { expect, test } from 'vitest';
import { DesktopApp } from '../../kit/desktop/kit.ts';
import { callsOf, stateOf } from './served.ts';

async function startInstalled(platform: NodeJS.Platform): Promise<DesktopApp> {
  return await DesktopApp.start({
    environment: { ELECTRON_MOCK_PLATFORM: platform, ELECTRON_MOCK_PACKAGED: '1' },
  });
}

test('an autostart that Task Manager disabled is shown as off and can be enabled again', async () => {
  await using app = await startInstalled('win32');
  const { setStartAtLogin } = await callsOf(app);
  const login = async () => (await stateOf(app)).startAtLogin;
  const isTicked = async (on: boolean) =>
    await app.snapshot.until(({ tray }) =>
      tray?.menu.some(
        ({ label, checked, enabled }) => label === 'Start at login' && checked === on && enabled,
      ),
    );
  expect(await login()).toEqual({ on: false, settable: true, sentence: null });
  await Promise.all([setStartAtLogin({ on: true }), setStartAtLogin({ on: true })]);
  expect(await login()).toEqual({ on: true, settable: true, sentence: null });
  await isTicked(true);

  // A person comes from there to the window.
  await app.switchLoginItem(false);
  await app.focusWindow(1);
  expect(await login()).toEqual({
    on: false,
    settable: true,
    sentence:
      'It was switched off in Task Manager or in the settings of Windows. Switching it on here switches it on there, too.',
  });
  await isTicked(false);
  await app.pick('Start at login');
  await isTicked(true);
  expect(await login()).toEqual({ on: true, settable: true, sentence: null });

  await app.switchLoginItem(false);
  await setStartAtLogin({ on: false });
  expect(await login()).toEqual({ on: false, settable: true, sentence: null });
});

test('on macOS the login item is set directly', async () => {
  await using app = await startInstalled('darwin');
  const { setStartAtLogin } = await callsOf(app);
  await setStartAtLogin({ on: true });
  expect((await stateOf(app)).startAtLogin).toEqual({ on: true, settable: true, sentence: null });
  expect(await app.called('app.setLoginItemSettings')).toMatchObject({
    args: [{ openAtLogin: true, args: ['--hidden'] }],
  });
});
