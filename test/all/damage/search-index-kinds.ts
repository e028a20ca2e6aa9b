import { join } from 'node:path';
import type { DamageKind } from './damage-kind.ts';
import { runSql, runUnprotectedSql, crossLink, corrupt } from '../../kit/disk/corrupt-files.ts';

const IN_GATEHOUSE = { database: 'gatehouse', before: 'stopped' } as const;
const DB = 'gatehouse.db';

/** Kinds of damage to the search index of the history. */
export const SEARCH_INDEX_KINDS: readonly DamageKind[] = [
  {
    ...IN_GATEHOUSE,
    name: 'the table of the search index is missing',
    expected: 'index-anew',
    damage: (folder) => runSql(folder, DB, 'drop table exchange_text'),
  },
  {
    ...IN_GATEHOUSE,
    name: 'the words of the search index are missing',
    expected: 'index-anew',
    damage: (folder) => runSql(folder, DB, 'drop table exchange_word'),
  },
  {
    ...IN_GATEHOUSE,
    name: 'a table behind the search index is missing',
    expected: 'index-anew',
    damage: (folder) => runUnprotectedSql(join(folder, DB), 'drop table exchange_text_docsize'),
  },
  {
    ...IN_GATEHOUSE,
    name: 'the settings of the search index are missing',
    expected: 'index-anew',
    damage: (folder) => runUnprotectedSql(join(folder, DB), 'drop table exchange_text_config'),
  },
  {
    ...IN_GATEHOUSE,
    name: 'the search index is empty inside',
    expected: 'index-anew',
    damage: (folder) => runUnprotectedSql(join(folder, DB), 'delete from exchange_text_data'),
  },
  {
    ...IN_GATEHOUSE,
    name: 'the pages of the search index are overwritten',
    expected: 'index-anew',
    damage: (folder) => corrupt(folder, DB, 'exchange_text_data'),
  },
  {
    ...IN_GATEHOUSE,
    name: 'a page of the exchanges is among those of the search index, too',
    expected: 'index-anew',
    damage: (folder) => crossLink(folder, DB, ['exchange', 'exchange_text_data']),
  },
];
