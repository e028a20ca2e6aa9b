import { expect, test } from 'vitest';
import { findNotifier } from './desktop-notification.ts';

const NOTICE = { title: 'Video done', text: '<b>fox</b> & --hen' };

test('a notice is shown where somebody sits at a screen', () => {
  expect(findNotifier('linux', {}, NOTICE)).toBeNull();
  expect(findNotifier('linux', { DISPLAY: '' }, NOTICE)).toBeNull();
  expect(findNotifier('win32', { DISPLAY: ':0' }, NOTICE)).toBeNull();
  expect(findNotifier('linux', { WAYLAND_DISPLAY: 'wayland-0' }, NOTICE)?.program).toBe(
    'notify-send',
  );
  expect(findNotifier('darwin', {}, NOTICE)?.program).toBe('osascript');
});

test('its words are neither options nor markup nor part of a script', () => {
  const linux = findNotifier('linux', { DISPLAY: ':0' }, NOTICE)?.args ?? [];
  expect(linux.slice(-3)).toEqual(['--', 'Video done', '&lt;b&gt;fox&lt;/b&gt; &amp; --hen']);
  const mac = findNotifier('darwin', {}, NOTICE)?.args ?? [];
  expect(mac.slice(-3)).toEqual(['--', 'Video done', NOTICE.text]);
  expect(mac.slice(0, -2).join(' ')).not.toContain('fox');
});
