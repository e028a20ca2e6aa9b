import { expect, test } from 'vitest';
import { openBrowser, findOpener } from './browser.ts';

const ADDRESS = 'http://127.0.0.1:1';

test('without a screen no browser is tried', async () => {
  expect(findOpener('linux', {}, ADDRESS)).toBeNull();
  expect(findOpener('linux', { DISPLAY: ':0' }, ADDRESS)?.program).toBe('xdg-open');
  expect(findOpener('linux', { WAYLAND_DISPLAY: 'wayland-0' }, ADDRESS)?.program).toBe('xdg-open');
  if (process.platform === 'linux') expect(await openBrowser(ADDRESS, {})).toBe(false);
});

test.skipIf(process.platform !== 'linux')('a missing program is no crash', async () => {
  const nowhere = { DISPLAY: ':0', PATH: '/nonexistent' };
  expect(await openBrowser(ADDRESS, nowhere)).toBe(false);
});
