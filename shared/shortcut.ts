import { z } from 'zod';

/** In the order in which they are written. */
const MODIFIERS = ['Control', 'Alt', 'Shift', 'Meta'] as const;
type Modifier = (typeof MODIFIERS)[number];

/** The signs of a shortcut, by where they are on a keyboard. */
const PUNCTUATION_KEYS: Readonly<Record<string, string>> = {
  Minus: '-',
  Equal: '=',
  BracketLeft: '[',
  BracketRight: ']',
  Backslash: '\\',
  Semicolon: ';',
  Quote: "'",
  Backquote: '`',
  Comma: ',',
  Period: '.',
  Slash: '/',
};
const KEY = /^(?:[A-Z\d]|F(?:[1-9]|1\d|2[0-4])|Space|[-=[\]\\;'`,./])$/u;
/** Keys that mean little in most programs, so that one modifier is enough to take them from all of them. */
const RARE_KEYS = /^(?:Space|F\d+)$/u;
/** What systems use for themselves. */
const RESERVED: ReadonlySet<string> = new Set(['Alt+F4']);

/** Why keys cannot be a shortcut for the whole system. */
const TOO_FEW_MODIFIERS =
  'Other programs need these keys. Hold two of Ctrl, Alt, Shift and the system key; with Space or a function key, one other than Shift is enough.';

/** A shortcut for the whole system, as Electron calls it: modifiers in their order, then one key, such as `Control+Alt+G`. */
export const Shortcut = z.string().max(40).refine(isShortcut, TOO_FEW_MODIFIERS);
export type Shortcut = z.infer<typeof Shortcut>;

/** The part of a keyboard event that says what is pressed. */
export interface PressedKey {
  readonly key: string;
  /** Where the key is. */
  readonly code: string;
  readonly ctrlKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
  readonly metaKey: boolean;
}

/** The shortcut that is pressed; `null` while only modifiers are, or with a key that no shortcut can have. It may be too plain to be used. */
export function toShortcut(pressed: PressedKey): string | null {
  const key = keyName(pressed);
  return key === null ? null : [...pressedModifiers(pressed), key].join('+');
}

/** The shortcut as people of this system write it: `Ctrl+Alt+G`, `⌃⌥G`. */
export function formatShortcut(shortcut: string, platform: string): string {
  const isMac = platform === 'darwin';
  const words = shortcut.split('+').map((part) => {
    const at = MODIFIERS.findIndex((modifier) => modifier === part);
    return at === -1 ? part : (modifierLabels(platform)[at] ?? part);
  });
  return words.join(isMac ? '' : '+');
}

function modifierLabels(platform: string): readonly string[] {
  if (platform === 'darwin') return ['⌃', '⌥', '⇧', '⌘'];
  return ['Ctrl', 'Alt', 'Shift', platform === 'win32' ? 'Win' : 'Super'];
}

function isShortcut(text: string): boolean {
  const parts = text.split('+');
  const key = parts.pop() ?? '';
  const modifiers = MODIFIERS.filter((modifier) => parts.includes(modifier));
  if (!KEY.test(key) || modifiers.join('+') !== parts.join('+') || RESERVED.has(text)) return false;
  const isShiftAlone = modifiers.every((modifier) => modifier === 'Shift');
  return !isShiftAlone && (modifiers.length > 1 || RARE_KEYS.test(key));
}

function pressedModifiers({ ctrlKey, altKey, shiftKey, metaKey }: PressedKey): readonly Modifier[] {
  const held = [ctrlKey, altKey, shiftKey, metaKey];
  return MODIFIERS.filter((_modifier, at) => held[at]);
}

/** A letter is the one that the keyboard says it is, where it says a Latin one; anything else is known by its place. */
function keyName({ key, code }: PressedKey): string | null {
  if (/^[a-z]$/iu.test(key)) return key.toUpperCase();
  const named = /^(?:Key|Digit)([A-Z\d])$/u.exec(code)?.[1] ?? PUNCTUATION_KEYS[code] ?? code;
  return KEY.test(named) ? named : null;
}
