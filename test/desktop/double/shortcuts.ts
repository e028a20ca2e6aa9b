import type { GlobalShortcut } from 'electron';
import { strictly } from './doubled.ts';
import { afterReady } from './readiness.ts';
import { answers, note } from './test-side.ts';

/** What another program has. */
const taken = new Set((process.env['ELECTRON_DOUBLE_TAKEN'] ?? '').split(' '));
const presses = new Map<string, () => void>();
const MODIFIER = /^(?:CommandOrControl|Command|Control|Alt|Option|AltGr|Shift|Super|Meta)$/u;

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
    if (taken.has(accelerator) || presses.has(accelerator)) return false;
    presses.set(accelerator, callback);
    return true;
  },
  unregister(accelerator: string): void {
    check(accelerator);
    note('globalShortcut.unregister', accelerator);
    presses.delete(accelerator);
  },
  isRegistered(accelerator: string): boolean {
    check(accelerator);
    return presses.has(accelerator);
  },
} satisfies Partial<GlobalShortcut>);

answers.pressKeys = (accelerator) => {
  const press = presses.get(accelerator);
  press?.();
  return press !== undefined;
};
