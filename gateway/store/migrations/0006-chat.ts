import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Conversations: trees of messages. */
export const chat: Migration = {
  async up(db: Kysely<never>): Promise<void> {
    for (const statement of TABLES) await sql.raw(statement).execute(db);
  },
};

const TABLES = [
  `create table conversation (
    seq integer primary key,
    id text not null unique,
    title text not null,
    created_at integer not null,
    changed_at integer not null,
    settings text not null,
    lanes text not null
  ) strict`,
  'create index conversation_by_change on conversation (changed_at, id)',
  // A parent is no foreign key: what is deleted along it would go deeper than SQLite goes.
  `create table message (
    seq integer primary key,
    id text not null unique,
    conversation integer not null references conversation (seq) on delete cascade,
    parent integer,
    created_at integer not null,
    model text,
    state text,
    length integer not null
  ) strict`,
  'create index message_by_parent on message (conversation, parent)',
  `create index message_under_way on message (state) where state in ('waiting', 'streaming')`,
  // Apart, so that a way through ten thousand messages passes by their texts.
  `create table message_content (
    seq integer primary key references message (seq) on delete cascade,
    text text not null,
    reasoning text not null,
    files text not null,
    answer text,
    under_way integer not null
  ) strict`,
  `create table message_image (
    hash text not null,
    message integer not null references message (seq) on delete cascade,
    primary key (hash, message)
  ) strict, without rowid`,
  'create index message_image_by_message on message_image (message)',
];
