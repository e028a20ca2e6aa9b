import type { DatabaseSync } from 'node:sqlite';
import { ExchangeId } from '../../../shared/exchange/exchange.ts';
import type { BodyHits, BodySearch } from '../protocol.ts';

/** Characters of an exchange that are indexed at most. */
const MAX_TEXT = 512 * 1024;
/** Pages of the index that one step of merging writes. */
const MERGE_PAGES = 64;

/** Writing all of a large index takes seconds. */
const IS_DUE = 'select is_stale <> 0 and abs(unixepoch() - merged_at) >= 3600 from search_state';
/** What was deleted meanwhile is due the next time. */
const END_MERGE = `update search_state set merged_at = unixepoch(), is_stale = case is_stale when 2 then 0 else 1 end`;

/** The index over the texts of requests and responses. */
export class TextIndex {
  readonly #database: DatabaseSync;
  #isRunning = false;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** Indexes the texts with which an exchange continued its run. Must be called in a transaction, once for an exchange. */
  add(id: ExchangeId, texts: readonly string[]): void {
    const text = texts.join('\n').slice(0, MAX_TEXT);
    if (text.trim() === '') return;
    const { lastInsertRowid } = this.#database
      .prepare('insert into searched (id) values (?)')
      .run(id);
    this.#database
      .prepare('insert into searched_text (rowid, text) values (?, ?)')
      .run(lastInsertRowid, text);
  }

  /**
   * Writes a part of the index anew without the words of deleted exchanges, which stay in it until then; all of it takes many calls,
   * and begins at most once an hour. Returns whether there is more to write.
   */
  merge(): boolean {
    if (!this.#isRunning) {
      if (this.#get(IS_DUE) === 0) return false;
      this.#database.exec('update search_state set is_stale = 2');
    }
    // A negative number begins anew, with all parts of the index.
    this.#isRunning = this.#mergePages(this.#isRunning ? MERGE_PAGES : -MERGE_PAGES);
    if (!this.#isRunning) this.#database.exec(END_MERGE);
    return this.#isRunning;
  }

  /** Returns whether anything was written (https://www.sqlite.org/fts5.html#the_merge_command). */
  #mergePages(pages: number): boolean {
    const before = this.#get('select total_changes()');
    this.#database
      .prepare(`insert into searched_text (searched_text, rank) values ('merge', ?)`)
      .run(pages);
    return this.#get('select total_changes()') - before >= 2;
  }

  #get(sql: string): number {
    const [value] = Object.values(this.#database.prepare(sql).get() ?? {});
    return Number(value);
  }
}

/** Finds exchanges whose new texts have all of these phrases, the latest indexed first. */
export function searchTexts(
  database: DatabaseSync,
  { phrases, before, limit }: BodySearch,
): BodyHits {
  const query = phrases.map(toPhrase).join(' AND ');
  const rows = database
    .prepare(
      `select searched.number, searched.id, exchange.started_at from searched_text
       join searched on searched.number = searched_text.rowid join exchange on exchange.id = searched.id
       where searched_text match ? and searched_text.rowid < ? order by searched_text.rowid desc limit ?`,
    )
    .all(query, before ?? Number.MAX_SAFE_INTEGER, limit + 1);
  const found = rows.slice(0, limit);
  const last = found.at(-1);
  const isEnd = last === undefined || rows.length <= limit;
  return {
    ids: found.map((row) => ExchangeId.parse(row['id'])),
    next: isEnd ? null : Number(last['number']),
    through: last === undefined ? null : Number(last['started_at']),
  };
}

/** A zero byte would end the query. */
function toPhrase(text: string): string {
  return `"${text.replaceAll('\0', ' ').replaceAll('"', '""')}"`;
}
