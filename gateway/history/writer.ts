import type { ExchangeId, ExchangeRecord } from '../../shared/exchange.ts';
import type { Log } from '../host.ts';
import { type Statement, type Store, StoreError } from '../store/store.ts';
import {
  createHeaderSerializer,
  insertHeadersStatement,
  type RawHeaderSnapshots,
} from './header-snapshots.ts';
import { redactExchange, COUNT_EXCHANGE, INSERT_EXCHANGE, toRow } from './row.ts';
import type { SearchIndex } from './search-index.ts';
import { addToTotalsStatement } from './usage-totals.ts';
import type { HistoryClock } from './maintenance.ts';

/** A finished exchange as recorded; it may contain secrets. */
interface PendingExchange {
  exchange: ExchangeRecord;
  readonly heads: RawHeaderSnapshots | null;
  /** Size of its headers, in characters. */
  readonly size: number;
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
const MAX_PENDING_BYTES = 10_000;
/** Maximum characters of pending headers; further exchanges are stored without headers. */
const MAX_HEADER_BYTES = 16 * 1024 * 1024;
/** Small enough that building and posting one batch blocks the event loop for well under a millisecond. */
const BATCH = 250;
const FLUSH_DELAY_MS = 150;

/** Buffers finished exchanges and writes them in batches, when 250 are pending or 150 ms have passed. */
export class HistoryWriter {
  readonly #options: WriterOptions;
  readonly #listeners = new Set<(written: number) => void>();
  readonly #serializeHeaders: (heads: RawHeaderSnapshots) => string;
  readonly #pending: PendingExchange[] = [];
  /** Pending exchanges without a known client: equal ones have one id and are counted together. */
  readonly #unknown = new Map<ExchangeId, PendingExchange>();
  /** Characters of headers that are pending or being written. */
  #headerBytes = 0;
  /** Number of exchanges at the front that must not wait for their batch to fill. */
  #due = 0;
  #beingWritten = 0;
  #dropped = 0;
  #complained = false;
  #closed = false;
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<void> | null = null;

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#serializeHeaders = createHeaderSerializer(options.redact);
  }

  /** Number of exchanges that were not stored: the buffer was full, a write failed, or they came after `close`. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Headers of unknown clients are not stored. */
  record(exchange: ExchangeRecord, heads: RawHeaderSnapshots | null): void {
    const equal = this.#unknown.get(exchange.id);
    if (equal !== undefined) {
      equal.exchange = mergeExchanges(equal.exchange, exchange);
      return;
    }
    if (this.#closed || this.#pending.length + this.#beingWritten >= MAX_PENDING_BYTES) {
      this.#dropped += 1;
      return;
    }
    const size = heads === null || isUnknown(exchange) ? 0 : headerBytes(heads);
    const fits = size > 0 && this.#headerBytes + size <= MAX_HEADER_BYTES;
    const waiting = { exchange, heads: fits ? heads : null, size: fits ? size : 0 };
    this.#headerBytes += waiting.size;
    this.#pending.push(waiting);
    if (isUnknown(exchange)) this.#unknown.set(exchange.id, waiting);
    this.#schedule();
  }

  async flush(): Promise<void> {
    this.#due = this.#pending.length;
    await this.#run();
  }

  on(listener: (written: number) => void): () => void {
    const entry = (written: number) => listener(written);
    this.#listeners.add(entry);
    return () => void this.#listeners.delete(entry);
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
      this.#due = Math.max(0, this.#due - batch.length);
      this.#beingWritten = batch.length;
      for (const { exchange } of batch) this.#unknown.delete(exchange.id);
      const written = await this.#insert(this.#redactEntry(batch));
      this.#beingWritten = 0;
      this.#headerBytes -= batch.reduce((sum, { size }) => sum + size, 0);
      if (written > 0) this.notifyWritten(written);
    }
  }

  #redactEntry(batch: readonly PendingExchange[]): readonly RedactedExchange[] {
    const { redact, keepsHeads } = this.#options;
    const withHeads = keepsHeads();
    const redacted: RedactedExchange[] = [];
    for (const { exchange, heads } of batch) {
      try {
        const text = withHeads && heads !== null ? this.#serializeHeaders(heads) : null;
        redacted.push({ exchange: redactExchange(exchange, redact), heads: text });
      } catch (error) {
        this.#drop(1, error);
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
      this.#drop(batch.length, error);
      return 0;
    }
  }

  /** Stores exchanges without the search index when only the index cannot be written, and then rebuilds it. */
  async #insertUnindexed(batch: readonly RedactedExchange[], failure: unknown): Promise<boolean> {
    const { index, store } = this.#options;
    if (!(await index.exists())) return false;
    try {
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
    const statements: readonly Statement[] = [
      ...insertRowsStatements(exchanges, this.#options.clock.behind()),
      addToTotalsStatement(exchanges),
      insertHeadersStatement(batch.map(({ exchange, heads }) => ({ id: exchange.id, heads }))),
    ];
    return { exchanges, steps: statements };
  }

  #drop(count: number, error: unknown): void {
    this.#dropped += count;
    if (this.#complained) return;
    this.#complained = true;
    const reason = String(error);
    this.#options.log('error', 'Exchanges could not be written to the history.', { reason });
  }
}

/** Rows get their numbers in the order of recording, so a statement ends where the other kind of row begins. */
function insertRowsStatements(
  exchanges: readonly ExchangeRecord[],
  behindMs: number,
): readonly Statement[] {
  const steps: { sql: string; rows: ReturnType<typeof toRow>[] }[] = [];
  for (const exchange of exchanges) {
    const statement = isUnknown(exchange) ? COUNT_EXCHANGE : INSERT_EXCHANGE;
    if (steps.at(-1)?.sql !== statement) steps.push({ sql: statement, rows: [] });
    steps.at(-1)?.rows.push(toRow(exchange, behindMs));
  }
  return steps;
}

/** Returns whether the client is unknown. */
function isUnknown({ clientName }: ExchangeRecord): boolean {
  return clientName === null;
}

function mergeExchanges(one: ExchangeRecord, other: ExchangeRecord): ExchangeRecord {
  const times = one.times + other.times;
  return { ...one, times, lastAt: Math.max(one.lastAt, other.lastAt) };
}

function headerBytes(heads: RawHeaderSnapshots): number {
  let size = 0;
  for (const head of [heads.received, heads.sent, heads.answered, heads.returned]) {
    for (const text of head ?? []) size += text.length;
  }
  return size;
}
