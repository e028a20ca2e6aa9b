import { useEffect } from 'react';
import type { Completion } from '../../../../shared/filter-language/complete.ts';
import classes from './filter-box.module.css';

interface CompletionListProps {
  readonly id: string;
  readonly completions: readonly Completion[];
  readonly marked: number;
  readonly onPick: (completion: Completion) => void;
}

/** Returns the id of the option at a place of a list. */
export function toOptionId(listId: string, place: number): string {
  return `${listId}-${place}`;
}

/** Lists what can be put into the filter. The keys stay with the input. */
export function CompletionList({ id, completions, marked, onPick }: CompletionListProps) {
  useEffect(() => {
    document.getElementById(toOptionId(id, marked))?.scrollIntoView({ block: 'nearest' });
  }, [id, marked]);
  return (
    <div
      id={id}
      role="listbox"
      aria-label="What can follow"
      tabIndex={-1}
      className={classes['list']}
      // The input keeps the focus.
      onMouseDown={(event) => event.preventDefault()}
    >
      {completions.map((one, place) => (
        <div
          key={one.text}
          id={toOptionId(id, place)}
          role="option"
          aria-selected={place === marked}
          tabIndex={-1}
          className={classes['option']}
          onClick={() => onPick(one)}
        >
          <span className={classes['optionText']}>{one.text}</span>
          {one.about !== '' && <span className={classes['about']}>{one.about}</span>}
        </div>
      ))}
    </div>
  );
}
