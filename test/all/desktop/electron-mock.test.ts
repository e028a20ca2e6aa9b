import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DesktopApp } from '../../kit/desktop/kit.ts';

const SAMPLES = join(import.meta.dirname, '..', '..', 'kit', 'desktop', 'electron-mock', 'sample');
const saw = (app: DesktopApp, text: string) =>
  app.snapshot.until(({ printed }) => printed === text);

test('the mock of Electron rejects what Electron rejects, and names what it lacks', async () => {
  await using app = await DesktopApp.start({ main: join(SAMPLES, 'rules-process.ts') });
  expect(await app.end()).toBe(0);
  expect(JSON.parse(app.snapshot.printed)).toEqual({
    'a tray before ready': 'Tray cannot be created before app is ready',
    'a window before ready': 'Cannot create BrowserWindow before app is ready',
    'a process before ready': 'utilityProcess cannot be created before app is ready',
    'a handler of a scheme before ready': 'protocol.handle cannot be called before app is ready',
    privileges: 'nothing',
    'privileges again': expect.stringContaining('only once'),
    'a sandbox after ready': expect.stringContaining('before app is ready'),
    'a handler': 'nothing',
    'a second handler': "Attempted to register a second handler for 'call'",
    'a member that is not mocked': 'shell.beep is not mocked.',
    'a static member that is not mocked': 'Menu.getApplicationMenu is not mocked.',
    'an event that is not mocked': "the event 'gpu-info-update' of app is not mocked.",
    'a port in its own message': expect.stringContaining('Port at index 0'),
    'a port': 'nothing',
    'a port that went': expect.stringContaining('sent elsewhere'),
    'a name': 'Gatehouse',
    'a focus as soon as it is asked for': false,
    'a window that is gone': 'Object has been destroyed',
    'a pid before it is spawned': 'undefined',
  });
});

test.each([
  ['where the keys are taken back', {}],
  ['under a portal, which keeps them', { WAYLAND_DISPLAY: 'wayland-0' }],
])('only the shortcut that is set acts, and once, %s', async (_where, environment) => {
  await using app = await DesktopApp.start({
    main: join(SAMPLES, 'shortcut-process.ts'),
    environment: { ...environment, ELECTRON_MOCK_TAKEN: 'Control+Alt+T' },
  });
  expect(await app.end()).toBe(0);
  expect(JSON.parse(app.snapshot.printed)).toEqual({
    set: [1, 0],
    removed: [0, 0],
    'removed twice': [0, 0],
    changed: [0, 1],
    'set again': [1, 0],
    'set again after another': [1, 0],
    'set again after none': [1, 0],
    'swapped often': [0, 1],
    'refused after another': [1, 0],
    'at the same moment': [0, 1],
  });
});

test('the mock of Electron reads one signal only, removes handlers from before ready, and keeps later ones', async () => {
  const main = join(SAMPLES, 'signals-process.ts');
  await using app = await DesktopApp.start({ main });
  await saw(app, 'ready\n');
  app.signal('SIGINT');
  await saw(app, 'ready\nquit\n');
  app.signal('SIGTERM');
  app.quit();
  await saw(app, 'ready\nquit\nquit\n');
  app.signal('SIGINT');
  expect(await app.end(), 'ended by the system').toBe(null);
  await using other = await DesktopApp.start({ main, args: ['--own'] });
  await saw(other, 'ready\n');
  other.signal('SIGINT');
  await saw(other, 'ready\nown\n');
  other.signal('SIGINT');
  await saw(other, 'ready\nown\nown\n');
});

test('app.exit() of the mock returns, and the code after it still runs', async () => {
  const main = join(SAMPLES, 'signals-process.ts');
  await using app = await DesktopApp.start({ main, args: ['--exit'] });
  expect(await app.end()).toBe(7);
  expect(app.snapshot.printed).toBe('quits\ngoes on\nready\n');
});
