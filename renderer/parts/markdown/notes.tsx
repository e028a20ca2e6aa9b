import { useContext } from 'react';
import type { Block } from './blocks.ts';
import { Drawn } from './drawn.tsx';
import { goTo, NotesOf } from './note-link.tsx';
import { belowOf, noteLabel, type References } from './references.ts';
import classes from './markdown.module.css';

interface NotesProps {
  readonly blocks: readonly Block[];
  readonly references: References;
}

/** The notes of an answer, below it. */
export function Notes({ blocks, references }: NotesProps) {
  const answer = useContext(NotesOf);
  const notes = blocks.flatMap(({ from, text }) => {
    const number = references.notes.get(noteLabel(text) ?? '');
    return number === undefined ? [] : [{ from, number, text }];
  });
  if (notes.length === 0) return null;
  return (
    <ol className={classes['notes'] ?? ''} aria-label="Notes">
      {notes
        .toSorted((one, other) => one.number - other.number)
        .map(({ from, number, text }) => (
          <li key={from} id={`${answer}${number}`} value={number} tabIndex={-1}>
            <Drawn text={wordsOf(text)} below={belowOf(text, references)} />
            <button
              type="button"
              className={classes['note'] ?? ''}
              aria-label={`Back to where note ${number} is named`}
              onClick={() => goTo(document.querySelector(`[data-from="${answer}${number}"]`))}
            >
              ↩
            </button>
          </li>
        ))}
    </ol>
  );
}

function wordsOf(note: string): string {
  return note.replace(/^ {0,3}\[\^[^\]]*\]:[ \t]*/u, '').replace(/^ {2,4}/gmu, '');
}
