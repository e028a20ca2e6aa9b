import { assert, boolean, constantFrom, property, record } from 'fast-check';
import { expect, test } from 'vitest';
import { Shortcut, toShortcut, formatShortcut } from '../../../shared/desktop/shortcut.ts';

const NONE = { key: '', code: '', ctrlKey: false, altKey: false, shiftKey: false, metaKey: false };
const CTRL_ALT = { ...NONE, ctrlKey: true, altKey: true };

test.each([
  ['Control+Alt+G', 'Ctrl+Alt+G', '⌃⌥G'],
  ['Alt+Space', 'Alt+Space', '⌥Space'],
  ['Control+Shift+Meta+/', 'Ctrl+Shift+Super+/', '⌃⇧⌘/'],
  ['Meta+F24', 'Super+F24', '⌘F24'],
])('%s is a shortcut, and is written %s or %s', (shortcut, linux, mac) => {
  expect(Shortcut.safeParse(shortcut).success).toBe(true);
  expect(formatShortcut(shortcut, 'linux')).toBe(linux);
  expect(formatShortcut(shortcut, 'darwin')).toBe(mac);
});

test.each([
  'G',
  'Space',
  'F5',
  'Shift+G',
  'Shift+F5',
  'Control+C',
  'Meta+Q',
  'Alt+F4',
  'Alt+Control+G',
  'Control+Control+G',
  'Control+Alt',
  'Control+Alt+g',
  'Control+Alt+F25',
  'Control+Alt+Tab',
  'Control+Alt+GG',
  'Control+Alt+',
  'Control+Alt+G+',
  'CommandOrControl+Alt+G',
  ' Control+Alt+G',
  'Control+Alt+G\n',
  '',
])('%j is none', (text) => {
  expect(Shortcut.safeParse(text).success).toBe(false);
});

test.each([
  ['a letter', { key: 'g', code: 'KeyG' }, 'Control+Alt+G'],
  ['a letter that lies elsewhere', { key: 'z', code: 'KeyY' }, 'Control+Alt+Z'],
  ['a letter of another script', { key: 'п', code: 'KeyG' }, 'Control+Alt+G'],
  ['a digit that gives a sign', { key: '²', code: 'Digit2' }, 'Control+Alt+2'],
  ['a sign', { key: ';', code: 'Comma' }, 'Control+Alt+,'],
  ['the space bar', { key: ' ', code: 'Space' }, 'Control+Alt+Space'],
  ['a function key', { key: 'F9', code: 'F9' }, 'Control+Alt+F9'],
  ['only modifiers', { key: 'Alt', code: 'AltLeft' }, null],
  ['a key that no shortcut has', { key: 'Enter', code: 'Enter' }, null],
])('%s, pressed with Ctrl and Alt, is read', (_what, pressed, expected) => {
  expect(toShortcut({ ...CTRL_ALT, ...pressed })).toBe(expected);
});

test('any keys with two modifiers are read as a shortcut', () => {
  const codes = constantFrom('KeyA', 'Digit0', 'F1', 'Space', 'Minus', 'Slash', 'Backslash');
  const pressed = record({ code: codes, shiftKey: boolean(), metaKey: boolean() });
  assert(
    property(pressed, (some) => {
      const shortcut = toShortcut({ ...CTRL_ALT, ...some });
      expect(Shortcut.safeParse(shortcut).success).toBe(true);
    }),
  );
});
