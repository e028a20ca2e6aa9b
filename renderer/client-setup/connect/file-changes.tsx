import type { DiffLine, FileChange } from '../../../shared/connect/connection.ts';
import classes from './connect.module.css';

const CHANGES: Readonly<Record<FileChange['change'], string>> = {
  create: 'will be created',
  edit: 'will be changed',
  delete: 'will be deleted',
  none: 'stays as it is',
};

/** Shows the changes that files will have, with the added and removed lines of each. */
export function FileChanges({ files }: { readonly files: readonly FileChange[] }) {
  return (
    <ul className={classes['files']} aria-label="Files">
      {files.map(({ path, change, lines }) => (
        <li key={path}>
          <div className={classes['file']}>
            <code>{path}</code> <span className={classes['note']}>{CHANGES[change]}</span>
          </div>
          {lines.length > 0 && (
            // It scrolls, so the keyboard must reach it.
            <div
              className={classes['diff']}
              role="group"
              aria-label={`Changed lines of ${path}`}
              tabIndex={0}
            >
              <div className={classes['lines']}>
                {lines.map((line, index) => (
                  <Line key={`${index} ${line.kind}`} line={line} />
                ))}
              </div>
            </div>
          )}
        </li>
      ))}
    </ul>
  );
}

function Line({ line: { kind, text } }: { readonly line: DiffLine }) {
  switch (kind) {
    case 'added':
      return <ins className={classes['added']}>+ {text}</ins>;
    case 'removed':
      return <del className={classes['removed']}>− {text}</del>;
    case 'same':
      return (
        <div>
          {'  '}
          {text}
        </div>
      );
    case 'gap':
      return <div className={classes['gap']}>⋯</div>;
  }
}
