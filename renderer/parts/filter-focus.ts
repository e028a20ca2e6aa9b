/** Marks the one input of a screen that `/` leads to: `<TextInput {...FILTER_INPUT} />`. */
export const FILTER_INPUT = { 'data-filter': true } as const;

/** Puts the cursor into the screen's filter, if it has one. */
export function focusFilter(): void {
  const input = document.querySelector<HTMLInputElement>('input[data-filter]');
  input?.focus();
  input?.select();
}
