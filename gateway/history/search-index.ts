import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { ExchangeRecord } from '../../shared/exchange.ts';
import type { HistoryFilter } from '../../shared/history.ts';
import type { Log } from '../host.ts';
import { type InTurn, makeInTurn } from '../in-turn.ts';
import type { Step, Store, Tables } from '../store/store.ts';
import { dayOf } from './days.ts';
import { Documents } from './documents.ts';
import { marksAsked } from './marks.ts';
import { fromRow } from './row.ts';
import { disownIndex, findIndexDamage, makeIndex, readUnindexed } from './index-tables.ts';
import { Listeners } from '../listeners.ts';
import { firstOf, wordsIn } from './words.ts';

const FILL = 200;
const DAY_MS = 24 * 3_600_000;
/** Above this many words with the same beginning, it is left to the index to find them. */
const MOST_WORDS = 200;
/** Sorts after whatever a word can go on with. */
const LAST = '\u{10FFFF}';

/**
 * A statement for each of them would cost three times as much: the index empties its buffer before every one that reads. A row that
 * stands for more than was written now is in the index already.
 */
const INSERT_TEXTS = `insert into exchange_text (rowid, words)
  select (started_at << 20) | (seq & 1048575), made.value ->> 1
  from json_each(?) as made cross join exchange on exchange.id = made.value ->> 0 and exchange.times = made.value ->> 2`;
const INSERT_WORD = `insert into exchange_word (word, day) values (?, ?)
  on conflict do update set day = excluded.day where day < excluded.day`;

/** What is damaged again and again is left alone until the next start. */
const MOST_RENEWALS = 3;
const NONE = 'The history has no search index: filters are slower.';
const RENEWED =
  'The search index of the history was damaged and is made anew from the exchanges, none of which is lost. Until that is done, filters are slower.';

export interface SearchIndexOptions {
  readonly store: Store;
  readonly log: Log;
  /** Only to look: nothing is made or filled. */
  readonly readOnly: boolean;
}

/** `absent`: this SQLite has no full-text search. `filling`: older exchanges are still missing. */
type State = 'absent' | 'filling' | 'ready';

/** Finds exchanges by words and by whatever a filter can ask for, newest first, without a walk through all of them. */
export class SearchIndex {
  readonly #options: SearchIndexOptions;
  readonly #documents = new Documents();
  readonly #opened: Promise<void>;
  /** What is put into it is made up and written in one turn, so that nothing is cleared in between. */
  readonly inTurn: InTurn = makeInTurn();
  /** Told when it was made anew while it was in use, so that older exchanges are put into it again. */
  readonly renewed = new Listeners();
  #state: State = 'absent';
  #renewals = 0;
  #renewing: Promise<void> | null = null;

  constructor(options: SearchIndexOptions) {
    this.#options = options;
    this.#opened = this.#open();
  }

  /** What puts these exchanges into the index; to be written together with them, and after them. */
  async stepsFor(exchanges: readonly ExchangeRecord[]): Promise<readonly Step[]> {
    await this.#opened;
    return this.#state === 'absent' ? [] : stepsOf(this.#documents, exchanges);
  }

  /** The latest steps were not written. */
  forget(): void {
    this.#documents.forget();
  }

  /** What to ask the index for; `null` when it cannot help: it is not ready, or everything is let through. */
  async question(filter: HistoryFilter): Promise<string | null> {
    await this.#opened;
    const words = new Set(wordsIn(filter.text ?? ''));
    const marks = marksAsked(filter).map(anyOf);
    if (this.#state !== 'ready' || words.size + marks.length === 0) return null;
    const found = await Promise.all([...words].map((word) => this.#beginningWith(word)));
    return [...found, ...marks].join(' AND ');
  }

  /** Whether exchanges that are deleted are to be taken out of it, too. */
  async exists(): Promise<boolean> {
    await this.#opened;
    return this.#state !== 'absent';
  }

  /** Makes it anew, for it cannot be used as it is; a few times in a run. Without success it is not used any more. Never rejects. */
  async renew(reason: string): Promise<void> {
    this.#renewing ??= this.#renew(reason).finally(() => {
      this.#renewing = null;
    });
    await this.#renewing;
  }

  /** Does work that changes it: once more after it was made anew, when it was damaged and the work failed. Rejects as the work does. */
  async mending<Done>(work: () => Promise<Done>): Promise<Done> {
    try {
      return await work();
    } catch (error) {
      if (this.#state === 'absent' || !(await this.#isDamaged())) throw error;
      await this.renew(String(error));
      return await work();
    }
  }

  /** Puts older exchanges into the index, the newest first. Rejects with what the store says. */
  async fill(signal: AbortSignal): Promise<void> {
    await this.#opened;
    const documents = new Documents();
    while (this.#state === 'filling' && !signal.aborted) {
      // One batch after the other: other work gets its turn in between.
      await this.inTurn(async () => await this.#fillBatch(documents));
    }
  }

  async #open(): Promise<void> {
    const { store, log, readOnly } = this.#options;
    try {
      const damage = await findIndexDamage(store, readOnly ? 'reading' : 'writing');
      if (damage !== null && readOnly) throw new Error(damage);
      let unindexed = damage === null ? await readUnindexed(store) : null;
      if (unindexed === null && !readOnly) unindexed = await makeIndex(store);
      if (damage !== null) log('warn', RENEWED, { reason: damage });
      if (unindexed !== null) this.#state = unindexed === 0 ? 'ready' : 'filling';
    } catch (error) {
      log('warn', NONE, { reason: String(error) });
    }
  }

  async #isDamaged(): Promise<boolean> {
    const { store } = this.#options;
    return (
      (await findIndexDamage(store, 'writing')) !== null || (await readUnindexed(store)) === null
    );
  }

  async #renew(reason: string): Promise<void> {
    const { store, log, readOnly } = this.#options;
    this.#state = 'absent';
    this.#documents.forget();
    this.#renewals += 1;
    if (readOnly) {
      log('warn', NONE, { reason });
      return;
    }
    try {
      // From now on it lacks what is written and holds what is deleted, also when nothing seems wrong with it later.
      await disownIndex(store);
      if (this.#renewals > MOST_RENEWALS) throw new Error('It was made anew too often.');
      await this.inTurn(async () => {
        await makeIndex(store);
        this.#state = 'filling';
      });
      log('warn', RENEWED, { reason });
      this.renewed.tell();
    } catch (error) {
      log('warn', NONE, { reason, failure: String(error) });
    }
  }

  async #fillBatch(documents: Documents): Promise<void> {
    const { store } = this.#options;
    const rows = await store.db
      .selectFrom('exchange')
      .selectAll()
      .where('seq', '<=', sql<number>`(select unindexed from exchange_index)`)
      .orderBy('seq', 'desc')
      .limit(FILL)
      .execute();
    const left = (rows.at(-1)?.seq ?? 1) - 1;
    await store.write([
      ...stepsOf(documents, rows.map(fromRow)),
      { sql: 'update exchange_index set unindexed = min(unindexed, ?)', rows: [[left]] },
    ]);
    if (left === 0) this.#state = 'ready';
  }

  async #beginningWith(word: string): Promise<string> {
    const { store } = this.#options;
    const { rows } = await sql<{ word: string }>`select word from exchange_word
      where word >= ${word} and word < ${word + LAST} limit ${MOST_WORDS + 1}`.execute(store.db);
    const rare = word === firstOf(word) ? `"^${word}"` : `"~${word}"*`;
    if (rows.length > MOST_WORDS) return `("${word}"* OR ${rare})`;
    return `(${[...rows.map((row) => `"${row.word}"`), rare].join(' OR ')})`;
  }
}

/** In the order of time, in which the index takes them fastest. */
function stepsOf(documents: Documents, exchanges: readonly ExchangeRecord[]): readonly Step[] {
  const texts = exchanges
    .toSorted((a, b) => a.startedAt - b.startedAt)
    .map((exchange) => [exchange.id, documents.documentOf(exchange), exchange.times]);
  const words = documents.takeFresh().map(({ word, day }) => [word, day]);
  return [
    { sql: INSERT_TEXTS, rows: [[JSON.stringify(texts)]] },
    { sql: INSERT_WORD, rows: words },
  ];
}

function anyOf(marks: readonly string[]): string {
  return `(${marks.map((mark) => `"${mark}"`).join(' OR ')})`;
}

/** Takes exchanges out of the index. To be run before they are deleted, in the same transaction. */
export async function removeFromIndex(
  inside: Kysely<Tables>,
  seqs: RawBuilder<number>,
): Promise<void> {
  await sql`delete from exchange_text where rowid in
    (select (started_at << 20) | (seq & 1048575) from exchange where seq in ${seqs})`.execute(
    inside,
  );
}

/** Forgets the words that only exchanges had which are deleted. */
export async function removeOldWords({ db }: Store): Promise<void> {
  await db.transaction().execute(async (inside) => {
    const { at } = await inside
      .selectFrom('exchange')
      .select(({ fn }) => fn.min<number | null>('started_at').as('at'))
      .executeTakeFirstOrThrow();
    // A day earlier than in this place, somewhere on earth.
    const day = at === null ? LAST : dayOf(at - DAY_MS);
    await sql`delete from exchange_word where day < ${day}`.execute(inside);
  });
}

/** Empties the index. */
export async function clearIndex(inside: Kysely<Tables>): Promise<void> {
  await sql`insert into exchange_text (exchange_text) values ('delete-all')`.execute(inside);
  await sql`delete from exchange_word`.execute(inside);
  await sql`update exchange_index set unindexed = 0`.execute(inside);
}
