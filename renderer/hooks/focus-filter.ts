import { isDialogOpen } from './open-dialog.ts';

/** Marks the one input of a screen that `/` leads to: `<TextInput {...FILTER_INPUT} />`. */
export const FILTER_INPUT = { 'data-filter': true } as const;

/** Puts the cursor into the screen's filter, if it has one and no dialog lies over it. */
export function focusFilter(): void {
  if (isDialogOpen()) return;
  const input = document.querySelector<HTMLInputElement>('input[data-filter]');
  input?.focus();
  input?.select();
}
