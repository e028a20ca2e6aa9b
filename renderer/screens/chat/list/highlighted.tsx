import classes from './list.module.css';
import { splitMatches } from './split-matches.ts';

interface HighlightedProps {
  readonly text: string;
  readonly find: string;
}

/** A text with what was searched for marked. */
export function Highlighted({ text, find }: HighlightedProps) {
  return splitMatches(text, find).map((mark, index) =>
    mark.found ? (
      <mark key={index} className={classes['mark']}>
        {mark.text}
      </mark>
    ) : (
      mark.text
    ),
  );
}
