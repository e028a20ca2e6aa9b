import { z } from 'zod';

/** Modifiers in the order in which they are written. */
const MODIFIERS = ['Control', 'Alt', 'Shift', 'Meta'] as const;
type Modifier = (typeof MODIFIERS)[number];

/** Punctuation of a shortcut, by key code. */
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
/** Keys that few programs use, so that one modifier is enough for a global shortcut. */
const RARE_KEYS = /^(?:Space|F\d+)$/u;
/** Shortcuts that systems use themselves. */
const RESERVED: ReadonlySet<string> = new Set(['Alt+F4']);

/** Reasons why keys cannot be a global shortcut. */
const TOO_FEW_MODIFIERS =
  'Other programs need these keys. Hold two of Ctrl, Alt, Shift and the system key; with Space or a function key, one other than Shift is enough.';

/** A global shortcut as Electron writes it: modifiers in their order, then one key, such as `Control+Alt+G`. */
export const Shortcut = z.string().max(40).refine(isShortcut, TOO_FEW_MODIFIERS);
export type Shortcut = z.infer<typeof Shortcut>;

/** The fields of a keyboard event that identify the key. */
export interface PressedKey {
  readonly key: string;
  /** Physical position of the key. */
  readonly code: string;
  readonly ctrlKey: boolean;
  readonly altKey: boolean;
  readonly shiftKey: boolean;
  readonly metaKey: boolean;
}

/**
 * Returns the pressed shortcut; `null` while only modifiers are pressed, or for a key that cannot be used. The shortcut may
 * still have too few modifiers.
 */
export function toShortcut(pressed: PressedKey): string | null {
  const key = keyName(pressed);
  return key === null ? null : [...pressedModifiers(pressed), key].join('+');
}

/** Formats the shortcut for a platform: `Ctrl+Alt+G`, `⌃⌥G`. */
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
  const modifiers = [ctrlKey, altKey, shiftKey, metaKey];
  return MODIFIERS.filter((_modifier, at) => modifiers[at]);
}

/** Returns the name of a key: Latin letters by the keyboard layout, anything else by position. */
function keyName({ key, code }: PressedKey): string | null {
  if (/^[a-z]$/iu.test(key)) return key.toUpperCase();
  const named = /^(?:Key|Digit)([A-Z\d])$/u.exec(code)?.[1] ?? PUNCTUATION_KEYS[code] ?? code;
  return KEY.test(named) ? named : null;
}
