import type { ExchangeId, ExchangeRecord } from '../../shared/exchange/exchange.ts';
import type { RecognisedStep } from '../../shared/run/run.ts';
import { lacksLocalKey } from '../../shared/exchange/outcome.ts';
import type { Log } from '../host.ts';
import { Emitter } from '../lib/emitter.ts';
import { type Statement, type Store, StoreError } from '../store/store.ts';
import {
  type CleanHeaders,
  HeaderCleaner,
  toHeaderText,
  insertHeadersStatement,
  type RawHeaderSnapshots,
} from './header-snapshots.ts';
import { fromRow, redactExchange, COUNT_EXCHANGE, INSERT_EXCHANGE, toRow } from './row.ts';
import { insertToolsStatement, readWithoutTools } from './exchange-tools.ts';
import { createDayFormatter } from './days.ts';
import type { SearchIndex } from './search/search-index.ts';
import { groupExchanges } from './usage/exchange-groups.ts';
import { addToUsageStatement } from './usage/usage-rollup.ts';
import { addToTotalsStatement } from './usage/usage-totals.ts';
import { spendStatement } from '../spend-limits/spend-limits.ts';
import type { HistoryClock } from './deletion/maintenance.ts';

/** A finished exchange as recorded; it may contain secrets. Its headers do not: cleaned ones need a fraction of the memory. */
interface PendingExchange {
  exchange: ExchangeRecord;
  readonly heads: CleanHeaders | null;
}

/** An exchange without secrets. `heads`: its headers as text, `null` when they are not stored. */
interface RedactedExchange {
  readonly exchange: ExchangeRecord;
  readonly heads: string | null;
}

export interface WriterOptions {
  readonly store: Store;
  readonly redact: (text: string) => string;
  readonly log: Log;
  /** Called for every batch. */
  readonly keepsHeads: () => boolean;
  readonly index: SearchIndex;
  readonly clock: Pick<HistoryClock, 'behind'>;
}

/** Maximum number of pending rows, including those being written. */
const MAX_PENDING_ROWS = 10_000;
/** Maximum characters of pending headers; further exchanges are stored without headers. */
const MAX_HEADER_CHARACTERS = 16 * 1024 * 1024;
/** Small enough that building and posting one batch blocks the event loop for well under a millisecond. */
const BATCH = 250;
const FLUSH_DELAY_MS = 150;
const SET_RUN = 'update exchange set run = ? where id = ? and run is not ?';

/** Buffers finished exchanges and writes them in batches, when 250 are pending or 150 ms have passed. */
export class HistoryWriter {
  readonly #options: WriterOptions;
  readonly #listeners = new Set<(written: number) => void>();
  readonly #drops = new Emitter<readonly ExchangeId[]>();
  readonly #toDay = createDayFormatter();
  readonly #pending: PendingExchange[] = [];
  /** Pending exchanges without a valid local key: equal ones have one id and are counted together. */
  readonly #counted = new Map<ExchangeId, PendingExchange>();
  /** Cleans the headers of the exchanges that are recorded before the next batch. */
  #cleaner: HeaderCleaner;
  /** Whether their headers are kept. */
  #keepsHeads = false;
  /** Characters of headers that are pending or being written. */
  #headerCharacters = 0;
  /** Number of exchanges at the front that must not wait for their batch to fill. */
  #due = 0;
  #beingWritten = 0;
  #dropped = 0;
  #failureLogged = false;
  #closed = false;
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<void> | null = null;

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#cleaner = new HeaderCleaner(options.redact);
  }

  /** Number of exchanges that were not stored: the buffer was full, a write failed, or they came after `close`. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Headers of requests without a valid local key are not stored. */
  record(exchange: ExchangeRecord, heads: RawHeaderSnapshots | null): void {
    const equal = this.#counted.get(exchange.id);
    if (equal !== undefined) {
      equal.exchange = mergeExchanges(equal.exchange, exchange);
      return;
    }
    if (this.#closed || this.#pending.length + this.#beingWritten >= MAX_PENDING_ROWS) {
      this.#countDropped([exchange]);
      return;
    }
    if (this.#pending.length % BATCH === 0) this.#beginBatch();
    const hasSpace = this.#headerCharacters < MAX_HEADER_CHARACTERS;
    const keeps = this.#keepsHeads && heads !== null && hasSpace && !lacksLocalKey(exchange);
    const cleaned = keeps ? this.#cleaner.clean(heads) : null;
    const fits = this.#headerCharacters + (cleaned?.size ?? 0) <= MAX_HEADER_CHARACTERS;
    const waiting = { exchange, heads: fits ? cleaned : null };
    this.#headerCharacters += waiting.heads?.size ?? 0;
    this.#pending.push(waiting);
    if (lacksLocalKey(exchange)) this.#counted.set(exchange.id, waiting);
    this.#schedule();
  }

  async flush(): Promise<void> {
    this.#due = this.#pending.length;
    await this.#run();
  }

  /** Sets the runs of exchanges and adds their tools, once. Never rejects: without them they are only not found by them. */
  async setSteps(steps: readonly RecognisedStep[]): Promise<void> {
    const { log, index } = this.#options;
    // They must be written before.
    await this.flush();
    const reasons: string[] = [];
    for (let at = 0; at < steps.length; at += BATCH) {
      try {
        await this.#setSome(steps.slice(at, at + BATCH));
      } catch (error) {
        index.reset();
        reasons.push(String(error));
      }
    }
    this.notifyWritten(0);
    const [reason] = reasons;
    if (reason !== undefined)
      log('warn', 'The runs of exchanges could not be recorded.', { reason });
  }

  on(listener: (written: number) => void): () => void {
    const entry = (written: number) => listener(written);
    this.#listeners.add(entry);
    return () => void this.#listeners.delete(entry);
  }

  /** Calls the listener with the ids of exchanges when they are dropped. It must not throw. Returns a function that removes it. */
  onDropped(listener: (ids: readonly ExchangeId[]) => void): () => void {
    return this.#drops.on(listener);
  }

  /** Notifies listeners that the history changed. */
  notifyWritten(written: number): void {
    for (const listener of this.#listeners) {
      try {
        listener(written);
      } catch (error) {
        this.#options.log('error', 'A listener of the history failed.', { reason: String(error) });
      }
    }
  }

  /** Writes pending exchanges; drops those recorded afterwards. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.flush();
  }

  /** Forgets the cleaned headers of the batch before, because a secret may have been added since. */
  #beginBatch(): void {
    this.#cleaner = new HeaderCleaner(this.#options.redact);
    this.#keepsHeads = this.#options.keepsHeads();
  }

  #schedule(): void {
    if (this.#running !== null) return;
    if (this.#pending.length >= BATCH) void this.#run();
    else this.#timer ??= setTimeout(() => void this.flush(), FLUSH_DELAY_MS);
  }

  async #run(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#running ??= this.#drain().finally(() => {
      this.#running = null;
      if (this.#pending.length > 0) this.#schedule();
    });
    await this.#running;
  }

  async #drain(): Promise<void> {
    while (this.#due > 0 || this.#pending.length >= BATCH) {
      const batch = this.#pending.splice(0, BATCH);
      this.#beginBatch();
      this.#due = Math.max(0, this.#due - batch.length);
      this.#beingWritten = batch.length;
      for (const { exchange } of batch) this.#counted.delete(exchange.id);
      const written = await this.#insert(this.#redactEntry(batch));
      this.#beingWritten = 0;
      this.#headerCharacters -= batch.reduce((sum, { heads }) => sum + (heads?.size ?? 0), 0);
      if (written > 0) this.notifyWritten(written);
    }
  }

  #redactEntry(batch: readonly PendingExchange[]): readonly RedactedExchange[] {
    const { redact, keepsHeads } = this.#options;
    // A person may have turned them off since they were recorded.
    const withHeads = keepsHeads();
    const redacted: RedactedExchange[] = [];
    for (const { exchange, heads } of batch) {
      try {
        const text = withHeads && heads !== null ? toHeaderText(heads) : null;
        redacted.push({ exchange: redactExchange(exchange, redact), heads: text });
      } catch (error) {
        this.#drop([exchange], error);
      }
    }
    return redacted;
  }

  async #insert(batch: readonly RedactedExchange[]): Promise<number> {
    if (batch.length === 0) return 0;
    const { index, store } = this.#options;
    try {
      await index.mutex.runExclusive(async () => {
        const { exchanges, steps } = this.#stepsFor(batch);
        await store.write([...steps, ...(await index.insertStatements(exchanges))]);
      });
      return batch.length;
    } catch (error) {
      index.reset();
      const isOfStore = error instanceof StoreError;
      if (!isOfStore && batch.length > 1) return this.#insertEach(batch);
      const mayBeIndex = !isOfStore || error.code === 'corrupt';
      if (mayBeIndex && (await this.#insertUnindexed(batch, error))) return batch.length;
      const dropped = batch.map(({ exchange }) => exchange);
      this.#drop(dropped, error);
      return 0;
    }
  }

  async #setSome(steps: readonly RecognisedStep[]): Promise<void> {
    const { store, index } = this.#options;
    await store.write([{ sql: SET_RUN, rows: steps.map(({ id, run }) => [run, id, run]) }]);
    const withTools = steps.filter(({ tools }) => tools.length > 0);
    if (withTools.length === 0) return;
    await index.rebuildOnDamage(() => index.mutex.runExclusive(() => this.#addTools(withTools)));
  }

  async #addTools(steps: readonly RecognisedStep[]): Promise<void> {
    const { store, index, redact } = this.#options;
    const tools = new Map(steps.map(({ id, tools: names }) => [id, names.map(redact)]));
    const exchanges = (await readWithoutTools(store, [...tools.keys()])).map(fromRow);
    await store.write([
      insertToolsStatement(exchanges.map(({ id }) => ({ id, tools: tools.get(id) ?? [] }))),
      ...(await index.replaceStatements(exchanges, tools)),
    ]);
  }

  /** Stores exchanges without the search index when only the index cannot be written, and then rebuilds it. */
  async #insertUnindexed(batch: readonly RedactedExchange[], failure: unknown): Promise<boolean> {
    const { index, store } = this.#options;
    try {
      if (!(await index.exists())) return false;
      await store.write(this.#stepsFor(batch).steps);
    } catch {
      return false;
    }
    await index.rebuild(String(failure));
    return true;
  }

  /** One of these cannot be written; the others must not be lost with it. */
  async #insertEach(batch: readonly RedactedExchange[]): Promise<number> {
    let written = 0;
    for (const one of batch) written += await this.#insert([one]);
    return written;
  }

  /** Returns the statements that store these exchanges, without the search index. */
  #stepsFor(batch: readonly RedactedExchange[]) {
    const exchanges = batch.map(({ exchange }) => exchange);
    const groups = groupExchanges(exchanges);
    const statements: readonly Statement[] = [
      ...this.#insertRowsStatements(exchanges),
      addToTotalsStatement(groups),
      addToUsageStatement(groups),
      spendStatement(exchanges),
      insertHeadersStatement(batch.map(({ exchange, heads }) => ({ id: exchange.id, heads }))),
    ];
    return { exchanges, steps: statements };
  }

  /** Rows get their numbers in the order of recording, so a statement ends where the other kind of row begins. */
  #insertRowsStatements(exchanges: readonly ExchangeRecord[]): readonly Statement[] {
    const behindMs = this.#options.clock.behind();
    const steps: { sql: string; rows: ReturnType<typeof toRow>[] }[] = [];
    for (const exchange of exchanges) {
      // Equal refusals are counted together.
      const statement = lacksLocalKey(exchange) ? COUNT_EXCHANGE : INSERT_EXCHANGE;
      if (steps.at(-1)?.sql !== statement) steps.push({ sql: statement, rows: [] });
      steps.at(-1)?.rows.push(toRow(exchange, behindMs, this.#toDay));
    }
    return steps;
  }

  #countDropped(exchanges: readonly ExchangeRecord[]): void {
    this.#dropped += exchanges.length;
    this.#drops.emit(exchanges.map(({ id }) => id));
  }

  #drop(exchanges: readonly ExchangeRecord[], error: unknown): void {
    this.#countDropped(exchanges);
    if (this.#failureLogged) return;
    this.#failureLogged = true;
    const reason = String(error);
    this.#options.log('error', 'Exchanges could not be written to the history.', { reason });
  }
}

function mergeExchanges(one: ExchangeRecord, other: ExchangeRecord): ExchangeRecord {
  const times = one.times + other.times;
  return { ...one, times, lastAt: Math.max(one.lastAt, other.lastAt) };
}
