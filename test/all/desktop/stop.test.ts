import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { APP_LEAVES, STOP_APP } from '../../../host/process/launcher-messages.ts';
import { DesktopApp } from '../../kit/desktop/kit.ts';
import { chat, engineOf, type Folder, openFolder } from './served.ts';

const HUNG = 'slow-first-byte=300000';
const SOON = 'slow-first-byte=1200';

/** The app with an exchange that runs. */
async function withExchange(app: DesktopApp, { localKey }: Folder, scenario: string) {
  const engine = await engineOf(app);
  const answer = chat(engine, localKey, scenario).then(
    ({ status }) => status,
    () => 'cut',
  );
  await app.called('powerSaveBlocker.start');
  return { engine, answer };
}

/** Repeats it until the promise settles: what comes too soon after the one before is an echo of that. */
async function again<T>(act: () => void, until: Promise<T>): Promise<T> {
  const timer = setInterval(act, 100);
  return await until.finally(() => clearInterval(timer));
}

describe.skipIf(process.platform === 'win32').for([
  ['a signal', (app: DesktopApp) => app.signal('SIGINT')],
  ['SIGTERM', (app: DesktopApp) => app.signal('SIGTERM')],
  ['a message of the program that started it', (app: DesktopApp) => app.message(STOP_APP)],
] as const)('asked to end by %s', ([how, ask]) => {
  test('the app lets running exchanges finish before it ends', async () => {
    await using folder = await openFolder();
    await using app = await DesktopApp.start({ ...folder, args: ['--hidden'] });
    const { answer } = await withExchange(app, folder, SOON);
    ask(app);
    expect(await answer).toBe(200);
    expect(await app.end()).toBe(0);
    expect(app.reported, 'its end is meant').toEqual([APP_LEAVES]);
  });

  test('the app does not wait after a second request to stop', async () => {
    await using folder = await openFolder();
    await using app = await DesktopApp.start({ ...folder, args: ['--hidden'] });
    const { answer } = await withExchange(app, folder, HUNG);
    ask(app);
    await app.menuWith(/^Quitting when/u);
    // Messages have no echoes.
    if (how.startsWith('a message')) ask(app);
    else void again(() => ask(app), answer);
    expect(await answer).toBe('cut');
    // A third one may have come while it closed.
    expect([0, 1]).toContain(await app.end());
  });

  test('the app ends at once after a third request to stop, whatever its engine does', async () => {
    await using folder = await openFolder();
    await using app = await DesktopApp.start({ ...folder, args: ['--hidden'] });
    const { pid } = await engineOf(app);
    process.kill(pid, 'SIGSTOP');
    expect(await again(() => ask(app), app.mainEnd())).toBe(1);
  });
});

test('an app that is asked to end before it is ready starts no engine', async () => {
  await using app = await DesktopApp.start({ args: ['--hidden'] });
  app.message(STOP_APP);
  expect(await app.end()).toBe(0);
  expect(app.snapshot.utilities).toEqual([]);
});

test('a fault at the beginning of the shutdown is logged, and the app still ends', async () => {
  const main = join(
    import.meta.dirname,
    '..',
    '..',
    'kit',
    'desktop',
    'electron-mock',
    'sample',
    'shutdown-process.ts',
  );
  await using app = await DesktopApp.start({ main });
  expect(await app.end()).toBe(0);
  expect(app.snapshot.printed).toBe('closed\nThere is no tray.\n');
});

test('an app that cannot start explains why in a dialog and on standard error', async () => {
  await using app = await DesktopApp.start({ environment: { GATEHOUSE_PORT: '80 80' } });
  const reason =
    'GATEHOUSE_PORT has to be a number from 0 to 65535, and is "80 80". Correct it or leave it out, and start again.';
  expect(await app.dialog()).toMatchObject({
    kind: 'error',
    options: { title: 'Gatehouse cannot start', content: reason },
  });
  expect(await app.end()).toBe(1);
  expect(app.snapshot.printed).toBe(`Gatehouse cannot start: ${reason}\n`);
});

test('a second start reports that it ends on purpose, and the first app continues', async () => {
  await using folder = await openFolder();
  await using first = await DesktopApp.start({ ...folder, args: ['--hidden'] });
  await engineOf(first);
  await using second = await DesktopApp.start(folder);
  expect(await second.end()).toBe(0);
  expect(second.reported).toEqual([APP_LEAVES]);
  await first.snapshot.until(({ windows }) => windows.size > 0);
  expect(first.reported).toEqual([]);
});

test.skipIf(process.platform === 'win32')(
  'a closed terminal sends two signals that ask once, at the same moment and later',
  async () => {
    await using folder = await openFolder();
    await using app = await DesktopApp.start({ ...folder, args: ['--hidden'] });
    const { answer } = await withExchange(app, folder, SOON);
    app.signal('SIGHUP');
    app.signal('SIGTERM');
    expect(await again(() => app.signal('SIGHUP'), answer)).toBe(200);
    expect(await app.end()).toBe(0);
  },
);
