import { useContext } from 'react';
import type { Block } from './blocks/block-list.ts';
import { RenderedMarkdown } from './rendered-markdown.tsx';
import { focusPlace, FootnotesContext } from './footnote-link.tsx';
import { definitionsFor, footnoteLabel, type References } from './blocks/references.ts';
import classes from './markdown.module.css';

interface FootnotesProps {
  readonly blocks: readonly Block[];
  readonly references: References;
}

/** Shows the notes of an answer below it. */
export function Footnotes({ blocks, references }: FootnotesProps) {
  const answer = useContext(FootnotesContext);
  const notes = blocks.flatMap(({ from, text }) => {
    const number = references.footnotes.get(footnoteLabel(text) ?? '');
    return number === undefined ? [] : [{ from, number, text }];
  });
  if (notes.length === 0) return null;
  return (
    <ol className={classes['notes'] ?? ''} aria-label="Notes">
      {notes
        .toSorted((one, other) => one.number - other.number)
        .map(({ from, number, text }) => (
          <li key={from} id={`${answer}${number}`} value={number} tabIndex={-1}>
            <RenderedMarkdown text={footnoteText(text)} below={definitionsFor(text, references)} />
            <button
              type="button"
              className={classes['note'] ?? ''}
              aria-label={`Back to the reference of note ${number}`}
              onClick={() => focusPlace(document.querySelector(`[data-from="${answer}${number}"]`))}
            >
              ↩
            </button>
          </li>
        ))}
    </ol>
  );
}

function footnoteText(note: string): string {
  return note.replace(/^ {0,3}\[\^[^\]]*\]:[ \t]*/u, '').replace(/^ {2,4}/gmu, '');
}
