import classes from './list.module.css';
import { marksOf } from './marks.ts';

interface MarkedProps {
  readonly text: string;
  readonly find: string;
}

/** A text with what was searched for marked. */
export function Marked({ text, find }: MarkedProps) {
  return marksOf(text, find).map((mark, index) =>
    mark.found ? (
      <mark key={index} className={classes['mark']}>
        {mark.text}
      </mark>
    ) : (
      mark.text
    ),
  );
}
