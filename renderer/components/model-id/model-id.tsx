import classes from './model-id.module.css';
import { splitId } from './split-id.ts';

interface ModelIdProps {
  readonly id: string;
  /** Class name of the provider: the part up to the first slash. */
  readonly providerClass?: string | undefined;
}

/** Shows the id of a model on one line, cut in the middle where there is too little room: ids of one family differ at their end. */
export function ModelId({ id, providerClass }: ModelIdProps) {
  const [start, end] = splitId(id);
  const slash = start.indexOf('/') + 1;
  return (
    <span className={classes['id']}>
      <span className={classes['start']} data-clips>
        <span className={providerClass} data-clips>
          {start.slice(0, slash)}
        </span>
        {start.slice(slash)}
      </span>
      {end !== '' && <span className={classes['end']}>{end}</span>}
    </span>
  );
}
