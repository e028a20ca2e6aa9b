import type { ExchangeRecord } from '../../shared/exchange.ts';
import type { Log } from '../host.ts';
import { type SqlValue, type Store, StoreError } from '../store/store.ts';
import { INSERT_EXCHANGE, toRow } from './row.ts';

type Row = readonly SqlValue[];

export interface WriterOptions {
  readonly store: Store;
  redact(text: string): string;
  readonly log: Log;
}

/** Rows that may wait, those being written included. */
const ROOM = 10_000;
/** Small enough that making and posting one batch holds up the event loop by well under a millisecond. */
const BATCH = 250;
const WAIT_MS = 150;

/** Holds finished exchanges and writes them in batches, the next when 250 wait or 150 ms have passed. */
export class Writer {
  readonly #options: WriterOptions;
  readonly #listeners = new Set<(written: number) => void>();
  readonly #waiting: ExchangeRecord[] = [];
  /** How many of those at the front must not wait for their batch to fill. */
  #due = 0;
  #beingWritten = 0;
  #dropped = 0;
  #complained = false;
  #closed = false;
  #timer: NodeJS.Timeout | null = null;
  #running: Promise<void> | null = null;

  constructor(options: WriterOptions) {
    this.#options = options;
  }

  /** Exchanges that were not kept: no room, a failed write, or recorded after the end. */
  get dropped(): number {
    return this.#dropped;
  }

  record(exchange: ExchangeRecord): void {
    if (this.#closed || this.#waiting.length + this.#beingWritten >= ROOM) {
      this.#dropped += 1;
      return;
    }
    this.#waiting.push(exchange);
    this.#schedule();
  }

  async flush(): Promise<void> {
    this.#due = this.#waiting.length;
    await this.#run();
  }

  on(listener: (written: number) => void): () => void {
    const entry = (written: number) => listener(written);
    this.#listeners.add(entry);
    return () => void this.#listeners.delete(entry);
  }

  /** Writes what is left; what is recorded afterwards is dropped. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.flush();
  }

  #schedule(): void {
    if (this.#running !== null) return;
    if (this.#waiting.length >= BATCH) void this.#run();
    else this.#timer ??= setTimeout(() => void this.flush(), WAIT_MS);
  }

  async #run(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#running ??= this.#drain().finally(() => {
      this.#running = null;
      if (this.#waiting.length > 0) this.#schedule();
    });
    await this.#running;
  }

  async #drain(): Promise<void> {
    while (this.#due > 0 || this.#waiting.length >= BATCH) {
      const batch = this.#waiting.splice(0, BATCH);
      this.#due = Math.max(0, this.#due - batch.length);
      this.#beingWritten = batch.length;
      const written = await this.#insert(this.#rowsOf(batch));
      this.#beingWritten = 0;
      if (written > 0) this.#tell(written);
    }
  }

  #rowsOf(batch: readonly ExchangeRecord[]): readonly Row[] {
    const rows: Row[] = [];
    for (const exchange of batch) {
      try {
        rows.push(toRow(exchange, (text) => this.#options.redact(text)));
      } catch (error) {
        this.#drop(1, error);
      }
    }
    return rows;
  }

  async #insert(rows: readonly Row[]): Promise<number> {
    if (rows.length === 0) return 0;
    try {
      await this.#options.store.insertMany(INSERT_EXCHANGE, rows);
      return rows.length;
    } catch (error) {
      if (!(error instanceof StoreError) && rows.length > 1) return this.#insertEach(rows);
      this.#drop(rows.length, error);
      return 0;
    }
  }

  /** One of these rows is wrong; the others are not to be lost with it. */
  async #insertEach(rows: readonly Row[]): Promise<number> {
    let written = 0;
    for (const row of rows) written += await this.#insert([row]);
    return written;
  }

  #drop(count: number, error: unknown): void {
    this.#dropped += count;
    if (this.#complained) return;
    this.#complained = true;
    const reason = String(error);
    this.#options.log('error', 'Exchanges could not be written to the history.', { reason });
  }

  #tell(written: number): void {
    for (const listener of this.#listeners) {
      try {
        listener(written);
      } catch (error) {
        this.#options.log('error', 'A listener of the history failed.', { reason: String(error) });
      }
    }
  }
}
