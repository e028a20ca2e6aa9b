import type { GlobalShortcut } from 'electron';
import { strictly } from '../strict-mock.ts';
import { afterReady } from '../readiness.ts';
import { answers, note } from '../test-side.ts';

/** Other programs have these keys. */
const taken = new Set((process.env['ELECTRON_MOCK_TAKEN'] ?? '').split(' '));
/** The app was given these keys, each with its callbacks. A portal takes nothing back, so that keys may have been given more than once. */
const presses = new Map<string, readonly (() => void)[]>();
/** A portal agrees to these keys, and the person declines them. */
const declined = new Set((process.env['ELECTRON_MOCK_DECLINED'] ?? '').split(' '));
const MODIFIER = /^(?:CommandOrControl|Command|Control|Alt|Option|AltGr|Shift|Super|Meta)$/u;

/** On Wayland the desktop has the keys, and Electron only asks for them. */
function usesPortal(): boolean {
  return process.platform === 'linux' && Boolean(process.env['WAYLAND_DISPLAY']);
}

function check(accelerator: string): void {
  afterReady('globalShortcut cannot be used');
  const parts = accelerator.split('+');
  const keys = parts.filter((part) => !MODIFIER.test(part));
  if (keys.length !== 1 || keys[0] !== parts.at(-1)) {
    throw new TypeError(
      `Error processing argument at index 0, conversion failure from ${accelerator}`,
    );
  }
}

export const globalShortcut = strictly('globalShortcut', {
  register(accelerator: string, callback: () => void): boolean {
    check(accelerator);
    note('globalShortcut.register', accelerator);
    const before = presses.get(accelerator) ?? [];
    if (taken.has(accelerator) || (before.length > 0 && !usesPortal())) return false;
    presses.set(accelerator, [...before, callback]);
    return true;
  },
  unregister(accelerator: string): void {
    check(accelerator);
    note('globalShortcut.unregister', accelerator);
    // electron_api_global_shortcut.cc does nothing about what a portal has bound.
    if (!usesPortal()) presses.delete(accelerator);
  },
  isRegistered(accelerator: string): boolean {
    check(accelerator);
    return presses.has(accelerator);
  },
} satisfies Partial<GlobalShortcut>);

answers.pressKeys = (accelerator) => {
  const given = presses.get(accelerator) ?? [];
  // A declined request is not reported.
  if (declined.has(accelerator)) return false;
  for (const press of given) press();
  return given.length > 0;
};
