import type { Migration } from '../schema.ts';

/** Creates the conversations: trees of messages, and their search index. */
export const conversations: Migration = {
  statements: () => TABLES,
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
  // A parent is not a foreign key: deletes along it would exceed SQLite's recursion depth.
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
  // A separate table, so that walking ten thousand messages does not read their texts.
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
  // An unfinished answer is not in the index, and so must not be removed from it.
  `create view message_whole as select seq, text from message_content where under_way = 0`,
  `create virtual table message_word using fts5 (
    text, content='message_whole', content_rowid='seq', tokenize="unicode61 remove_diacritics 2"
  )`,
  `create trigger message_content_came after insert on message_content when new.under_way = 0 begin
    insert into message_word (rowid, text) values (new.seq, new.text);
  end`,
  `create trigger message_content_changed after update on message_content begin
    insert into message_word (message_word, rowid, text)
      select 'delete', old.seq, old.text where old.under_way = 0;
    insert into message_word (rowid, text) select new.seq, new.text where new.under_way = 0;
  end`,
  `create trigger message_content_gone after delete on message_content when old.under_way = 0 begin
    insert into message_word (message_word, rowid, text) values ('delete', old.seq, old.text);
  end`,
  `create virtual table conversation_word using fts5 (
    title, content='conversation', content_rowid='seq', tokenize="unicode61 remove_diacritics 2"
  )`,
  `create trigger conversation_came after insert on conversation begin
    insert into conversation_word (rowid, title) values (new.seq, new.title);
  end`,
  `create trigger conversation_changed after update of title on conversation begin
    insert into conversation_word (conversation_word, rowid, title)
      values ('delete', old.seq, old.title);
    insert into conversation_word (rowid, title) values (new.seq, new.title);
  end`,
  `create trigger conversation_gone after delete on conversation begin
    insert into conversation_word (conversation_word, rowid, title)
      values ('delete', old.seq, old.title);
  end`,
];
