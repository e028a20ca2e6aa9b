import { createContext, useContext } from 'react';
import classes from './markdown.module.css';

/** A prefix that keeps the note ids of different answers apart. */
export const FootnotesContext = createContext('');

/** A link from a place in the text to its note, or back. */
export function FootnoteLink({ number }: { readonly number: string }) {
  const answer = useContext(FootnotesContext);
  return (
    <sup>
      <button
        type="button"
        className={classes['note'] ?? ''}
        data-from={`${answer}${number}`}
        aria-label={`Note ${number}`}
        onClick={() => focusPlace(document.getElementById(`${answer}${number}`))}
      >
        {number}
      </button>
    </sup>
  );
}

/** Scrolls to an element and focuses it. */
export function focusPlace(target: Element | null): void {
  target?.scrollIntoView({ block: 'nearest' });
  if (target instanceof HTMLElement) target.focus();
}
