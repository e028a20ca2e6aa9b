import { expect, test } from 'vitest';
import { notifierOn } from './notice.ts';

const NOTICE = { title: 'Video done', text: '<b>fox</b> & --hen' };

test('a notice is shown where somebody sits at a screen', () => {
  expect(notifierOn('linux', {}, NOTICE)).toBeNull();
  expect(notifierOn('linux', { DISPLAY: '' }, NOTICE)).toBeNull();
  expect(notifierOn('win32', { DISPLAY: ':0' }, NOTICE)).toBeNull();
  expect(notifierOn('linux', { WAYLAND_DISPLAY: 'wayland-0' }, NOTICE)?.program).toBe(
    'notify-send',
  );
  expect(notifierOn('darwin', {}, NOTICE)?.program).toBe('osascript');
});

test('its words are neither options nor markup nor part of a script', () => {
  const linux = notifierOn('linux', { DISPLAY: ':0' }, NOTICE)?.args ?? [];
  expect(linux.slice(-3)).toEqual(['--', 'Video done', '&lt;b&gt;fox&lt;/b&gt; &amp; --hen']);
  const mac = notifierOn('darwin', {}, NOTICE)?.args ?? [];
  expect(mac.slice(-3)).toEqual(['--', 'Video done', NOTICE.text]);
  expect(mac.slice(0, -2).join(' ')).not.toContain('fox');
});
