/**
 * Tables of the search in `bodies.db`. `searched` numbers the exchanges whose texts are indexed, in the order of indexing; it goes with
 * the bodies of its exchange. The index has no texts of its own (decision 34). `is_stale`: 1 while it has words of deleted
 * exchanges, 2 while it is written anew; `merged_at`: when that was done last, in Unix seconds.
 */
export const TEXT_SCHEMA = `
create table if not exists searched (
  number integer primary key autoincrement,
  id text not null unique references exchange (id) on delete cascade
) strict;
create virtual table if not exists searched_text using fts5(
  text, content='', contentless_delete=1, tokenize='unicode61'
);
create table if not exists search_state (is_stale integer not null, merged_at integer not null) strict;
insert into search_state select 0, 0 where not exists (select 1 from search_state);
create trigger if not exists searched_deleted after delete on searched begin
  delete from searched_text where rowid = old.number;
  update search_state set is_stale = 1;
end;
`;
