import { expect, test } from 'vitest';
import { openBrowser, openerOn } from './browser.ts';

test('without a screen no browser is tried', async () => {
  expect(openerOn('linux', {})).toBeNull();
  expect(openerOn('linux', { DISPLAY: ':0' })?.program).toBe('xdg-open');
  expect(openerOn('linux', { WAYLAND_DISPLAY: 'wayland-0' })?.program).toBe('xdg-open');
  if (process.platform === 'linux') expect(await openBrowser('http://127.0.0.1:1', {})).toBe(false);
});

test.skipIf(process.platform !== 'linux')('a missing program is no crash', async () => {
  const nowhere = { DISPLAY: ':0', PATH: '/nonexistent' };
  expect(await openBrowser('http://127.0.0.1:1', nowhere)).toBe(false);
});
