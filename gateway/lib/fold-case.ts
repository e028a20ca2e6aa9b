import type { DatabaseSync } from 'node:sqlite';
import { foldCase } from '../../shared/fold-case.ts';

/** Adds the SQL function `fold_case`, which does what {@link foldCase} does; other values are returned unchanged. */
export function addFoldCase(database: DatabaseSync): void {
  database.function('fold_case', { deterministic: true }, (value) =>
    typeof value === 'string' ? foldCase(value) : value,
  );
}
