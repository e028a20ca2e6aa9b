import type { DamageKind } from './damage-kind.ts';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  runSql,
  flip,
  foreignDatabase,
  foreignLog,
  editFile,
  interruptChange,
  corrupt,
  corruptEntry,
  truncate,
} from '../../kit/disk/corrupt-files.ts';
import { CHAT_KINDS } from './chat-kinds.ts';
import { SEARCH_INDEX_KINDS } from './search-index-kinds.ts';

const IN_GATEHOUSE = { database: 'gatehouse', before: 'stopped' } as const;
const DB = 'gatehouse.db';
const CHAT = 'chat.db';

/** Kinds of damage, and the expected reaction to each. */
export const DAMAGE_KINDS: readonly DamageKind[] = [
  {
    ...IN_GATEHOUSE,
    name: 'the file is empty',
    expected: 'refused',
    cause: 'it is empty (0 bytes)',
    damage: (folder) => truncate(folder, DB, () => 0),
  },
  {
    ...IN_GATEHOUSE,
    name: 'the file is empty after a kill',
    before: 'killed',
    expected: 'refused',
    cause: 'it is empty (0 bytes)',
    damage: (folder) => truncate(folder, DB, () => 0),
  },
  {
    ...IN_GATEHOUSE,
    name: 'the file is missing',
    expected: 'refused',
    cause: 'it is missing, and copies of it exist',
    damage: (folder) => rmSync(join(folder, DB)),
  },
  {
    ...IN_GATEHOUSE,
    name: 'the file is missing after a kill, and its log is there',
    before: 'killed',
    expected: 'refused',
    cause: 'it is missing, and copies of it exist',
    damage: (folder) => rmSync(join(folder, DB)),
  },
  {
    ...IN_GATEHOUSE,
    name: 'the file ends after half',
    expected: 'refused',
    cause: '',
    damage: (folder) => truncate(folder, DB, (size) => Math.floor(size / 2)),
  },
  {
    ...IN_GATEHOUSE,
    name: 'the file ends after one page',
    expected: 'refused',
    cause: '',
    damage: (folder) => truncate(folder, DB, () => 4096),
  },
  {
    ...IN_GATEHOUSE,
    name: 'the header is overwritten',
    expected: 'refused',
    cause: 'file is not a database',
    damage: (folder) => editFile(folder, DB, (bytes) => void bytes.fill(0, 0, 100)),
  },
  {
    ...IN_GATEHOUSE,
    name: 'it is a text file',
    expected: 'refused',
    cause: 'file is not a database',
    damage: (folder) => writeFileSync(join(folder, DB), 'notes of a person\n'.repeat(400)),
  },
  {
    ...IN_GATEHOUSE,
    name: 'it is a database of another program',
    expected: 'refused',
    cause: 'it belongs to another program, with the tables "bookmark"',
    damage: (folder) => foreignDatabase(folder, DB),
  },
  {
    ...IN_GATEHOUSE,
    name: 'it has the application id of another program',
    expected: 'refused',
    cause: 'it belongs to another program',
    damage: (folder) => runSql(folder, DB, 'pragma application_id = 77'),
  },
  {
    ...IN_GATEHOUSE,
    name: 'it is the database of the conversations',
    expected: 'refused',
    cause: 'it belongs to another program',
    damage: (folder) => writeFileSync(join(folder, DB), readFileSync(join(folder, CHAT))),
  },
  {
    ...IN_GATEHOUSE,
    name: 'a folder is in its place',
    expected: 'refused',
    cause: 'a folder is in its place',
    damage: (folder) => {
      rmSync(join(folder, DB));
      mkdirSync(join(folder, DB));
    },
  },
  {
    ...IN_GATEHOUSE,
    name: 'the table of the clients is missing',
    expected: 'refused',
    cause: 'its table "client" is missing',
    damage: (folder) => runSql(folder, DB, 'drop table client'),
  },
  {
    ...IN_GATEHOUSE,
    name: 'a column of the clients is missing',
    expected: 'refused',
    cause: 'its table "client" has no column "revoked_at"',
    damage: (folder) => runSql(folder, DB, 'alter table client drop column revoked_at'),
  },
  {
    ...IN_GATEHOUSE,
    name: 'the list of migrations is missing',
    expected: 'refused',
    cause: 'its table "kysely_migration" is missing',
    damage: (folder) => runSql(folder, DB, 'drop table kysely_migration'),
  },
  {
    ...IN_GATEHOUSE,
    name: 'the pages of the clients are overwritten',
    expected: 'refused',
    cause: '',
    damage: (folder) => corrupt(folder, DB, 'client'),
  },
  {
    ...IN_GATEHOUSE,
    name: 'a table of the history is missing',
    expected: 'history-anew',
    cause: 'its table "exchange_sum" is missing',
    damage: (folder) => runSql(folder, DB, 'drop table exchange_sum'),
  },
  {
    ...IN_GATEHOUSE,
    name: 'a column of the history is missing',
    expected: 'history-anew',
    cause: 'its table "exchange" has no column "error_message"',
    // SQLite refuses to drop a column that an index uses.
    damage: (folder) =>
      runSql(
        folder,
        DB,
        'drop index exchange_by_check; alter table exchange drop column error_message',
      ),
  },
  {
    ...IN_GATEHOUSE,
    name: 'the pages of the exchanges are overwritten',
    expected: 'history-anew',
    cause: '',
    damage: (folder) => corrupt(folder, DB, 'exchange'),
  },
  {
    ...IN_GATEHOUSE,
    name: 'the pages of an index of the history are overwritten',
    expected: 'history-anew',
    cause: '',
    damage: (folder) => corrupt(folder, DB, 'exchange_by_time'),
  },
  ...SEARCH_INDEX_KINDS,
  {
    ...IN_GATEHOUSE,
    name: 'an index has a key without a client',
    expected: 'index-anew',
    damage: (folder) => corruptEntry(folder, DB, 'sqlite_autoindex_client_2'),
  },
  {
    ...IN_GATEHOUSE,
    name: 'an index is missing',
    expected: 'serves',
    damage: (folder) => runSql(folder, DB, 'drop index video_job_by_task'),
  },
  {
    ...IN_GATEHOUSE,
    name: 'the hash of one local key is cut off',
    expected: 'one-client',
    damage: (folder) =>
      runSql(folder, DB, `update client set key_hash = 'cut' where name = 'Other'`),
  },
  {
    ...IN_GATEHOUSE,
    name: 'a setting and a video are not JSON',
    expected: 'serves',
    damage: (folder) =>
      runSql(
        folder,
        DB,
        `insert into setting values ('keepDays', '{') on conflict do update set value = '{';
         insert into video_job (id, rev, state, origin, service, created_at, state_since, words, data)
         values ('aa', 1, 'waiting', 'window', 'sandbox', 1, 1, '', '{')`,
      ),
  },
  {
    ...IN_GATEHOUSE,
    name: 'a newer Gatehouse wrote it',
    expected: 'newer',
    damage: (folder) =>
      runSql(folder, DB, `insert into kysely_migration values ('9999-later', '2099-01-01')`),
  },
  {
    ...IN_GATEHOUSE,
    name: 'its log is deleted after a kill',
    before: 'killed',
    expected: 'serves',
    damage: (folder) => rmSync(join(folder, `${DB}-wal`)),
  },
  {
    ...IN_GATEHOUSE,
    name: 'its log is random bytes after a kill',
    before: 'killed',
    expected: 'log-kept',
    cause: 'its log has a damaged header',
    damage: (folder) => writeFileSync(join(folder, `${DB}-wal`), Buffer.alloc(40_000, 0x5a)),
  },
  {
    ...IN_GATEHOUSE,
    name: 'a bit of its log is flipped after a kill',
    before: 'killed',
    expected: 'log-kept',
    cause: 'its log is damaged at byte 32',
    damage: (folder) =>
      editFile(
        folder,
        `${DB}-wal`,
        (bytes) => void bytes.writeUInt8(bytes.readUInt8(3000) ^ 1, 3000),
      ),
  },
  {
    ...IN_GATEHOUSE,
    name: 'a change of it was interrupted by a kill',
    expected: 'serves',
    damage: (folder) => interruptChange(folder, DB),
  },
  {
    ...IN_GATEHOUSE,
    name: 'a journal of random bytes is beside it',
    expected: 'serves',
    damage: (folder) => writeFileSync(join(folder, `${DB}-journal`), 'rubbish '.repeat(1_000)),
  },
  {
    ...IN_GATEHOUSE,
    name: 'its log is that of another database',
    expected: 'log-left-out',
    cause: '',
    damage: (folder) => foreignLog(folder, DB),
  },
  {
    ...IN_GATEHOUSE,
    name: 'its shared memory is random bytes after a kill',
    before: 'killed',
    expected: 'serves',
    damage: (folder) => writeFileSync(join(folder, `${DB}-shm`), Buffer.alloc(32_768, 0x5a)),
  },
  ...CHAT_KINDS,
];

/** Seeds for forty bytes flipped anywhere after the first page; a seed always flips the same bytes. */
export const FLIP_SEEDS: readonly number[] = [1, 2, 3, 4, 5, 6];

export function flipForty(folder: string, seed: number): void {
  flip(folder, DB, { seed, bytes: 40 });
}
