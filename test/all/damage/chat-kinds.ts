import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DamageKind } from './damage-kind.ts';
import { runSql, corrupt, truncate } from '../../kit/disk/corrupt-files.ts';

const IN_CHAT = { database: 'chat', before: 'stopped' } as const;
const CHAT = 'chat.db';

/** Kinds of damage to the database of the conversations. */
export const CHAT_KINDS: readonly DamageKind[] = [
  {
    ...IN_CHAT,
    name: 'the file of the conversations is empty',
    expected: 'chat-refused',
    cause: 'it is empty (0 bytes)',
    damage: (folder) => truncate(folder, CHAT, () => 0),
  },
  {
    ...IN_CHAT,
    name: 'the file of the conversations is missing',
    expected: 'chat-refused',
    cause: 'it is missing, and copies of it exist',
    damage: (folder) => rmSync(join(folder, CHAT)),
  },
  {
    ...IN_CHAT,
    name: 'the file of the conversations ends after half',
    expected: 'chat-refused',
    cause: '',
    damage: (folder) => truncate(folder, CHAT, (size) => Math.floor(size / 2)),
  },
  {
    ...IN_CHAT,
    name: 'the file of the conversations is a text file',
    expected: 'chat-refused',
    cause: 'file is not a database',
    damage: (folder) => writeFileSync(join(folder, CHAT), 'notes of a person\n'.repeat(400)),
  },
  {
    ...IN_CHAT,
    name: 'a table of the conversations is missing',
    expected: 'chat-refused',
    cause: 'its table "message_image" is missing',
    damage: (folder) => runSql(folder, CHAT, 'drop table message_image'),
  },
  {
    ...IN_CHAT,
    name: 'the pages of the messages are overwritten',
    expected: 'chat-refused',
    cause: '',
    damage: (folder) => corrupt(folder, CHAT, 'message'),
  },
];
