import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { DesktopApp } from '../../kit/desktop/kit.ts';
import { chat, engineOf, openFolder, stateOf } from './served.ts';

const MAIN = join(
  import.meta.dirname,
  '..',
  '..',
  'kit',
  'desktop',
  'electron-mock',
  'sample',
  'notices-process.ts',
);
/** The maximum number of open notifications. */
const MAX_OPEN = 50;

test('a notification can be clicked as long as it is visible, also in the list of Windows', async () => {
  await using app = await DesktopApp.start({ main: MAIN });
  const [first, second, third] = [
    await app.notification(),
    await app.notification(),
    await app.notification(),
  ];
  await app.onNotification(first, 'close', 'timedOut');
  await app.onNotification(second, 'close');
  await app.collectGarbage();
  expect(await app.onNotification(first, 'click'), 'in the list').toBe(true);
  expect(await app.onNotification(third, 'click'), 'on the screen').toBe(true);
  await app.snapshot.until(({ printed }) => printed === '/opened-1-of-3\n/opened-3-of-3\n');
  await app.collectGarbage();
  for (const each of [first, second, third]) {
    expect(await app.onNotification(each, 'click'), 'a closed notification is not referenced').toBe(
      false,
    );
  }
});

test('of a thousand notifications the newest stay, and the others are closed', async () => {
  await using app = await DesktopApp.start({ main: MAIN });
  await app.snapshot.until(({ notifications }) => notifications.length === 3);
  await app.power('resume');
  const { notifications } = await app.snapshot.until(
    (snapshot) => snapshot.notifications.length === 1_003 && snapshot,
  );
  await app.collectGarbage();
  const clicked: string[] = [];
  for (const each of notifications) {
    if (await app.onNotification(each, 'click')) clicked.push(each.title);
  }
  expect(clicked).toEqual(notifications.slice(-MAX_OPEN).map(({ title }) => title));
  const closed = app.snapshot.calls.filter(({ name }) => name === 'Notification.close');
  expect(closed).toHaveLength(1_003 - MAX_OPEN);
});

test.each([
  [
    'a copy for macOS that is not signed',
    'darwin',
    'The system did not show the last notification: Notifications are not allowed for this application. macOS shows no notifications of an unsigned copy. A signed one must be allowed in System Settings, Notifications.',
  ],
  [
    'Linux, which gives no reason,',
    'linux',
    'The system did not show the last notification. The settings of the desktop may not allow notifications, or no program that shows them runs.',
  ],
])(
  '%s says in the log and in Settings that no notification is shown',
  async (_which, platform, words) => {
    await using folder = await openFolder();
    await using app = await DesktopApp.start({
      dataDir: folder.dataDir,
      args: ['--hidden'],
      environment: { ELECTRON_MOCK_PLATFORM: platform, ELECTRON_MOCK_NOTICES: 'fail' },
    });
    const engine = await engineOf(app);
    const asked = [0, 1].map(() => chat(engine, folder.localKey, 'bad-key-echo'));
    for (const { status } of await Promise.all(asked)) expect(status).toBe(401);
    await app.called('Notification failed');
    await app.pick('Open Gatehouse');
    expect((await stateOf(app)).notices).toBe(words);
    const log = await readFile(join(app.dataDir, 'logs', 'engine.log'), 'utf8');
    expect(log.match(/A notification was not shown/gu)).toHaveLength(1);
  },
);

test('Settings shows from the start that a system has no notifications', async () => {
  await using app = await DesktopApp.start({ environment: { ELECTRON_MOCK_NOTICES: 'none' } });
  expect((await stateOf(app)).notices).toBe('This system shows no notifications.');
});
