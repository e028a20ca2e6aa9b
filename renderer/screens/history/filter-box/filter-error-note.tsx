import type { FilterError } from '../../../../shared/filter-language/terms.ts';
import classes from './filter-box.module.css';

/** Characters shown before and after the place of an error, and of it. */
const SHOWN_AROUND = 24;
const SHOWN_WITHIN = 60;

interface FilterErrorNoteProps {
  readonly text: string;
  readonly error: FilterError;
}

/** Shows the part of a filter that has no meaning, underlined, and says what to write instead. */
export function FilterErrorNote({ text, error: { from, to, message } }: FilterErrorNoteProps) {
  const before = text.slice(Math.max(0, from - SHOWN_AROUND), from);
  const within = text.slice(from, Math.min(to, from + SHOWN_WITHIN));
  const after = text.slice(to, to + SHOWN_AROUND);
  return (
    <span role="status" className={classes['error']}>
      <span className={classes['place']}>
        {from > SHOWN_AROUND && '…'}
        {before}
        <mark className={classes['wrong']}>{within}</mark>
        {to > from + SHOWN_WITHIN && '…'}
        {after}
        {text.length > to + SHOWN_AROUND && '…'}
      </span>{' '}
      {message}
    </span>
  );
}
