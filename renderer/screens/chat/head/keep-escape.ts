import type { KeyboardEvent } from 'react';

/** For what lies over the screen: Escape closes it, and stops no answer below it. */
export function keepEscape(event: KeyboardEvent): void {
  if (event.key === 'Escape') event.preventDefault();
}
