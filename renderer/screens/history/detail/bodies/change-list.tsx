import type { Change } from '../../../../../shared/compare/diff-json.ts';
import { formatJson } from '../../../../../shared/parse-bodies/json.ts';
import classes from './bodies.module.css';
import { shortenJson } from './shorten-json.ts';

interface ChangeListProps {
  readonly changes: readonly Change[];
  readonly label: string;
}

/** Lists the differences of two JSON values. */
export function ChangeList({ changes, label }: ChangeListProps) {
  return (
    <ul className={classes['changes']} aria-label={label}>
      {changes.map(({ path, before, after }) => (
        <li key={path}>
          <code>{path === '' ? 'everything' : path}</code>
          {before !== undefined && (
            <del className={classes['removed']}>{formatJson(shortenJson(before))}</del>
          )}
          {after !== undefined && (
            <ins className={classes['added']}>{formatJson(shortenJson(after))}</ins>
          )}
        </li>
      ))}
    </ul>
  );
}
