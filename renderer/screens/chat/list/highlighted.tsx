import classes from './list.module.css';
import { splitMatches } from './split-matches.ts';

interface HighlightedProps {
  readonly text: string;
  readonly find: string;
}

/** Shows a text with the search matches highlighted. */
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
