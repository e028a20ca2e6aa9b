import { isDialogOpen } from './open-dialog.ts';

/** Props that mark the one input of a screen that `/` focuses: `<TextInput {...FILTER_INPUT} />`. */
export const FILTER_INPUT = { 'data-filter': true } as const;

/** Focuses the screen's filter, if it has one and no dialog is open. */
export function focusFilter(): void {
  if (isDialogOpen()) return;
  const input = document.querySelector<HTMLInputElement>('input[data-filter]');
  input?.focus();
  input?.select();
}
