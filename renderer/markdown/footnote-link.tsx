import { createContext, useContext } from 'react';
import classes from './markdown.module.css';

/** Tells the notes of one answer from those of another. */
export const FootnotesContext = createContext('');

/** Leads from a place in the text to its note, and the note can lead back. */
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

/** Shows a place and puts the focus on it. */
export function focusPlace(place: Element | null): void {
  place?.scrollIntoView({ block: 'nearest' });
  if (place instanceof HTMLElement) place.focus();
}
