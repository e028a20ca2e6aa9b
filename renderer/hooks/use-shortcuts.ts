import { useHotkeys } from '@mantine/hooks';

/** Inputs that take no letters. */
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

/** Keys of a screen, by name. They rest while somebody types, but not while a switch, a box or a chip has the focus. */
export function useShortcuts(keys: Readonly<Record<string, () => void>>): void {
  useHotkeys(
    Object.entries(keys).map(([key, press]) => [
      key,
      (event) => {
        if (takesLetters(event.target)) return;
        event.preventDefault();
        press();
      },
      { preventDefault: false },
    ]),
    ['TEXTAREA', 'SELECT'],
  );
}

function takesLetters(target: EventTarget | null): boolean {
  return target instanceof HTMLInputElement && !NO_LETTERS.has(target.type);
}
