import { useHotkeys } from '@mantine/hooks';

/** Types of inputs that take no letters. */
const NO_LETTERS = new Set([
  'button',
  'checkbox',
  'color',
  'file',
  'radio',
  'range',
  'reset',
  'submit',
]);

/**
 * Registers the shortcuts of a screen by key. They are disabled while a text input has the focus, but not for a switch,
 * a checkbox or a chip.
 */
export function useShortcuts(keys: Readonly<Record<string, () => void>>): void {
  useHotkeys(
    Object.entries(keys).map(([key, press]) => [
      key,
      (event) => {
        if (takesText(event.target)) return;
        event.preventDefault();
        press();
      },
      { preventDefault: false },
    ]),
    ['TEXTAREA', 'SELECT'],
  );
}

/** Whether a key that is pressed there is text. */
export function takesText(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return !NO_LETTERS.has(target.type);
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}
