import { Mutex } from 'async-mutex';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { ExchangeRecord } from '../../../shared/exchange/exchange.ts';
import type { HistoryFilter } from '../../../shared/history/history.ts';
import type { Log } from '../../host.ts';
import type { Statement, Store, Tables } from '../../store/store.ts';
import { SearchDocumentBuilder } from './search-documents.ts';
import { buildIndexQuery, type IndexQuery } from './index-query.ts';
import { readTools } from '../exchange-tools.ts';
import { listNameTokens } from './name-tokens.ts';
import { fromRow } from '../row.ts';
import {
  disownIndex,
  findIndexDamage,
  createIndex,
  countUnindexed,
} from './search-index-tables.ts';
import { Emitter } from '../../lib/emitter.ts';
import { firstCharacter } from './tokenize.ts';

const FILL_BATCH_SIZE = 200;
/** Beyond this many words with the same prefix, the index finds them itself. */
const MAX_WORDS = 200;
/** Sorts after any character that a word can continue with, and after any day. */
export const LAST = '\u{10FFFF}';

/**
 * Inserts all texts with one statement: the index flushes its buffer before every statement that reads, so one for each text
 * would cost three times as much. A row whose count is above one is in the index already.
 */
const INSERT_TEXTS = `insert into exchange_text (rowid, words)
  select (started_at << 20) | (seq & 1048575), made.value ->> 1
  from json_each(?) as made cross join exchange on exchange.id = made.value ->> 0 and exchange.times = made.value ->> 2`;
/** Those that are not indexed yet are left out: they are indexed with all others, and then have their tools. */
const REPLACE_TEXTS = `insert or replace into exchange_text (rowid, words)
  select (started_at << 20) | (seq & 1048575), made.value ->> 1
  from json_each(?) as made cross join exchange on exchange.id = made.value ->> 0
  where exchange.seq > (select unindexed from exchange_index)`;
const INSERT_WORD = `insert into exchange_word (word, day) values (?, ?)
  on conflict do update set day = excluded.day where day < excluded.day`;

/** An index that is damaged repeatedly is left alone until the next start. */
const MAX_REBUILDS = 3;
const NONE = 'The history has no search index: filters are slower.';
const REBUILT =
  'The search index of the history was damaged and is being rebuilt; no exchange is lost. Until then filters are slower.';

export interface SearchIndexOptions {
  readonly store: Store;
  readonly log: Log;
  /** The index is only read: nothing is created or filled. */
  readonly readOnly: boolean;
}

/** `absent`: this SQLite has no full-text search. `filling`: older exchanges are still missing. */
type State = 'absent' | 'filling' | 'ready';

/** Finds exchanges by words and by all criteria of a filter, newest first, without a full scan. */
export class SearchIndex {
  readonly #options: SearchIndexOptions;
  readonly #documents = new SearchDocumentBuilder();
  #opening: Promise<void> | null = null;
  /** Building and writing index texts run under this mutex, so that nothing is cleared in between. */
  readonly mutex: Mutex = new Mutex();
  /** Emits when the index was rebuilt while in use, so that older exchanges are indexed again. */
  readonly rebuilt = new Emitter();
  #state: State = 'absent';
  #rebuilds = 0;
  #rebuilding: Promise<void> | null = null;

  constructor(options: SearchIndexOptions) {
    this.#options = options;
  }

  /** Opened by its first use, so that a command that needs no index does not close the database under it. */
  get #opened(): Promise<void> {
    return (this.#opening ??= this.#open());
  }

  /** Returns the statements that index these exchanges; they must be written after the exchanges, in the same transaction. */
  async insertStatements(exchanges: readonly ExchangeRecord[]): Promise<readonly Statement[]> {
    await this.#opened;
    return this.#state === 'absent' ? [] : toStatements(this.#documents, exchanges);
  }

  /** Returns the statements that index these exchanges again with their tools, by id; they must be written in a transaction with the tools. */
  async replaceStatements(
    exchanges: readonly ExchangeRecord[],
    tools: ToolsById,
  ): Promise<readonly Statement[]> {
    await this.#opened;
    if (this.#state === 'absent') return [];
    return toStatements(this.#documents, exchanges, { tools, sql: REPLACE_TEXTS });
  }

  /** Must be called when the latest statements were not written. */
  reset(): void {
    this.#documents.reset();
  }

  /** Returns the query for the index; `null` when it cannot help: it is not ready, or the filter matches everything. */
  async buildQuery(filter: HistoryFilter): Promise<IndexQuery | null> {
    await this.#opened;
    if (this.#state !== 'ready') return null;
    const { store } = this.#options;
    return await buildIndexQuery(filter, {
      findWords: (word) => this.#findWordsStartingWith(word),
      listNameTokens: (part) => listNameTokens(store, part),
    });
  }

  /** Resolves with whether deleted exchanges must be removed from the index as well. */
  async exists(): Promise<boolean> {
    await this.#opened;
    return this.#state !== 'absent';
  }

  /**
   * Rebuilds an index that cannot be used as it is, a few times per run. When that fails, the index is not used any more.
   * Never rejects.
   */
  async rebuild(reason: string): Promise<void> {
    this.#rebuilding ??= this.#rebuildNow(reason).finally(() => {
      this.#rebuilding = null;
    });
    await this.#rebuilding;
  }

  /**
   * Runs work that changes the index, and runs it again after a rebuild when it failed because of damage. Rejects as the work
   * does.
   */
  async rebuildOnDamage<Done>(work: () => Promise<Done>): Promise<Done> {
    try {
      return await work();
    } catch (error) {
      if (this.#state === 'absent' || !(await this.#isDamaged())) throw error;
      await this.rebuild(String(error));
      return await work();
    }
  }

  /** Indexes older exchanges, newest first. Rejects with the store's errors. */
  async fill(signal: AbortSignal): Promise<void> {
    await this.#opened;
    const documents = new SearchDocumentBuilder();
    while (this.#state === 'filling' && !signal.aborted) {
      // Batches are small, so that other work can run in between.
      await this.mutex.runExclusive(async () => await this.#fillBatch(documents));
    }
  }

  async #open(): Promise<void> {
    const { store, log, readOnly } = this.#options;
    try {
      const damage = await findIndexDamage(store, readOnly ? 'reading' : 'writing');
      if (damage !== null && readOnly) throw new Error(damage);
      let unindexed = damage === null ? await countUnindexed(store) : null;
      if (unindexed === null && !readOnly) unindexed = await createIndex(store);
      if (damage !== null) log('warn', REBUILT, { reason: damage });
      if (unindexed !== null) this.#state = unindexed === 0 ? 'ready' : 'filling';
    } catch (error) {
      log('warn', NONE, { reason: String(error) });
    }
  }

  async #isDamaged(): Promise<boolean> {
    const { store } = this.#options;
    return (
      (await findIndexDamage(store, 'writing')) !== null || (await countUnindexed(store)) === null
    );
  }

  async #rebuildNow(reason: string): Promise<void> {
    const { store, log, readOnly } = this.#options;
    this.#state = 'absent';
    this.#documents.reset();
    this.#rebuilds += 1;
    if (readOnly) {
      log('warn', NONE, { reason });
      return;
    }
    try {
      // From now on the index misses new rows and contains deleted ones, so the next start must rebuild it.
      await disownIndex(store);
      if (this.#rebuilds > MAX_REBUILDS) throw new Error('It was rebuilt too often.');
      await this.mutex.runExclusive(async () => {
        await createIndex(store);
        this.#state = 'filling';
      });
      log('warn', REBUILT, { reason });
      this.rebuilt.emit();
    } catch (error) {
      log('warn', NONE, { reason, failure: String(error) });
    }
  }

  async #fillBatch(documents: SearchDocumentBuilder): Promise<void> {
    const { store } = this.#options;
    const rows = await store.db
      .selectFrom('exchange')
      .selectAll()
      .where('seq', '<=', sql<number>`(select unindexed from exchange_index)`)
      .orderBy('seq', 'desc')
      .limit(FILL_BATCH_SIZE)
      .execute();
    const remaining = (rows.at(-1)?.seq ?? 1) - 1;
    await store.write([
      ...toStatements(documents, rows.map(fromRow), { tools: await readTools(store, rows) }),
      { sql: 'update exchange_index set unindexed = min(unindexed, ?)', rows: [[remaining]] },
    ]);
    if (remaining === 0) this.#state = 'ready';
  }

  async #findWordsStartingWith(word: string): Promise<string> {
    const { store } = this.#options;
    const { rows } = await sql<{ word: string }>`select word from exchange_word
      where word >= ${word} and word < ${word + LAST} limit ${MAX_WORDS + 1}`.execute(store.db);
    const rare = word === firstCharacter(word) ? `"^${word}"` : `"~${word}"*`;
    if (rows.length > MAX_WORDS) return `("${word}"* OR ${rare})`;
    return `(${[...rows.map((row) => `"${row.word}"`), rare].join(' OR ')})`;
  }
}

type ToolsById = ReadonlyMap<string, readonly string[]>;

interface TextOptions {
  readonly tools?: ToolsById;
  readonly sql?: string;
}

/** In order of time, which the index inserts fastest. */
function toStatements(
  documents: SearchDocumentBuilder,
  exchanges: readonly ExchangeRecord[],
  { tools = new Map(), sql: insertTexts = INSERT_TEXTS }: TextOptions = {},
): readonly Statement[] {
  const texts = exchanges
    .toSorted((a, b) => a.startedAt - b.startedAt)
    .map((exchange) => {
      const { id, times } = exchange;
      return [id, documents.build(exchange, tools.get(id)), times];
    });
  const words = documents.takeNewWords().map(({ word, day }) => [word, day]);
  return [
    { sql: insertTexts, rows: [[JSON.stringify(texts)]] },
    { sql: INSERT_WORD, rows: words },
  ];
}

/** Removes exchanges from the index. Must run before they are deleted, in the same transaction. */
export async function removeFromIndex(
  trx: Kysely<Tables>,
  seqs: RawBuilder<number>,
): Promise<void> {
  await sql`delete from exchange_text where rowid in
    (select (started_at << 20) | (seq & 1048575) from exchange where seq in ${seqs})`.execute(trx);
}

/** Empties the index. */
export async function clearIndex(trx: Kysely<Tables>): Promise<void> {
  await sql`insert into exchange_text (exchange_text) values ('delete-all')`.execute(trx);
  await sql`delete from exchange_word`.execute(trx);
  await sql`update exchange_index set unindexed = 0`.execute(trx);
}
