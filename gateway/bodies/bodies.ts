import { Mutex } from 'async-mutex';
import type { BodiesSize, BodySearchResult, ExchangeBodies } from '../../shared/exchange/body.ts';
import type { ExchangeId, RunId } from '../../shared/exchange/exchange.ts';
import type {
  FixtureChunk,
  RecognisedStep,
  RunDetail,
  RunPage,
  StepPlace,
} from '../../shared/run/run.ts';
import type { Log } from '../host.ts';
import { BatchBuilder, type ExchangeFacts } from './batch.ts';
import type { BodyThread } from './body-thread.ts';
import { BodyThreadHost } from './body-thread-host.ts';
import { CaptureBudget } from './captured-body.ts';
import { CapturedExchange } from './captured-exchange.ts';
import type { BodyLimits, BodyRequests, Secrets } from './protocol.ts';
import { type WatchedStep, WatchedSteps } from './runs/watched-steps.ts';
import { writeFixture } from './runs/write-fixture.ts';
import { searchBodies } from './search/search-bodies.ts';

export { CapturedExchange } from './captured-exchange.ts';
export type { CapturedBody } from './captured-body.ts';
export type { ExchangeFacts } from './batch.ts';
export type { WatchedStep } from './runs/watched-steps.ts';

export interface BodiesOptions {
  /** Path of the database, which is created with the first body. */
  readonly file: string;
  readonly log: Log;
  /** The secrets to mask, as they are now. */
  readonly secrets: () => Secrets;
  /** What is kept, as it is now; `null`: nothing is. */
  readonly limits: () => BodyLimits | null;
  /** Whether the bodies of a client are kept, as it is now. */
  readonly isKept: (client: string | null) => boolean;
  /** Returns which of these exchanges the history has: after a crash it may lack some of the latest. */
  readonly findKnown: (ids: readonly string[]) => Promise<readonly string[]>;
  /** Returns the pinned exchanges. */
  readonly findPinned: () => Promise<readonly string[]>;
  /** Is called with exchanges of this process that were given their place in a run, within seconds of their end. */
  readonly onSteps: (steps: readonly WatchedStep[]) => void;
  /** Takes the runs that were recognised by messages, and the tools; those of the latest exchanges again at the first opening after a start. Must not reject. */
  readonly onRecognised: (steps: readonly RecognisedStep[]) => Promise<void>;
}

const FLUSH_DELAY_MS = 150;
const FLUSH_BYTES = 2 ** 20;
/** Small enough that handing a batch over blocks the event loop for well under a millisecond. */
const FLUSH_EXCHANGES = 100;
/** Bytes of all bodies that are captured, or are in the thread and not stored yet. */
const MAX_CAPTURED = 64 * 2 ** 20;
const MAX_STORING = 64 * 2 ** 20;
/** Exchanges that are deleted in one request. */
const DELETE_STEP = 200;
const PRUNE_INTERVAL_MS = 3_600_000;
/** Exchanges get their place in a run when nothing was stored for so long, or when runs are shown; then within this time. */
const PLACE_DELAY_MS = 500;
const PLACE_MAX_MS = 1_000;
/** Without a store for so long there is no load. Shorter than the delay, because a timer may be a little early. */
const PLACE_IDLE_MS = PLACE_DELAY_MS - 50;
/** While exchanges keep coming, some get their place after this time, so that an agent that runs away is noticed. */
const PLACE_LATEST_MS = 2_000;
/** A failure is logged again after this time. */
const LOG_INTERVAL_MS = 600_000;
const ABSENT: ExchangeBodies = { state: 'absent', received: null, sent: null, returned: null };
const NO_RUNS: RunPage = { runs: [], matches: {}, next: null };
const NO_HITS = { ids: [], next: null, through: null };
const NOTHING: BodiesSize = { exchanges: 0, plain: 0, stored: 0, freed: [] };

/** The requests and responses of exchanges. Keeping one never fails and never waits; everything else is done in another thread. */
export class Bodies {
  readonly #options: BodiesOptions;
  readonly #host: BodyThreadHost;
  readonly #budget = new CaptureBudget(MAX_CAPTURED);
  readonly #pruneTimer: NodeJS.Timeout;
  #placeTimer: NodeJS.Timeout | null = null;
  /** When the first exchange was stored that waits for its place; `null` for none. */
  #unplacedAt: number | null = null;
  #storedAt = 0;
  readonly #watched = new WatchedSteps();
  #batch = new BatchBuilder();
  /** The batch that was handed over last. */
  #latest: Promise<void> = Promise.resolve();
  #storing = 0;
  #dropped = 0;
  #timer: NodeJS.Timeout | null = null;
  readonly #pruning = new Mutex();
  /** A pin is set while nobody makes the pins those of the history. */
  readonly #pinning = new Mutex();
  #loggedAt = Number.NEGATIVE_INFINITY;
  /** Whether the runs that the history may lack since a crash were reported. */
  #hasReported = false;
  #closed = false;

  constructor(options: BodiesOptions) {
    const { file, log } = options;
    this.#options = options;
    this.#host = new BodyThreadHost({ file, log, onOpen: (thread) => this.#onOpen(thread) });
    this.#pruneTimer = setInterval(() => void this.prune(), PRUNE_INTERVAL_MS).unref();
  }

  /** Number of exchanges whose bodies could not be stored since the start. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Begins to capture an exchange of a client; `null` when nothing of it is kept. */
  capture(client: string | null): CapturedExchange | null {
    return this.#closed || !this.#options.isKept(client)
      ? null
      : new CapturedExchange(this.#budget);
  }

  /** Stores the bodies of an exchange that has ended, and releases them. */
  keep(facts: ExchangeFacts, captured: CapturedExchange): void {
    try {
      if (!this.#closed && this.#options.isKept(facts.clientId)) this.#add(facts, captured);
    } catch (error) {
      this.#drop(1, error);
    } finally {
      captured.release();
    }
  }

  /** Returns the bodies of an exchange that has ended. @throws when the database cannot be read */
  async read(id: ExchangeId): Promise<ExchangeBodies> {
    await this.flush();
    if (!this.#host.exists) return ABSENT;
    return await this.#host.request('read', { id, again: null, isRebuilt: true });
  }

  /**
   * Returns the bodies of an exchange as far as they are stored now, with the secrets masked that are known now. `isRebuilt`: with the
   * messages before those of its request. @throws when the database cannot be read
   */
  async readMasked(id: ExchangeId, isRebuilt: boolean): Promise<ExchangeBodies> {
    if (!this.#host.exists) return ABSENT;
    return await this.#host.request('read', { id, again: this.#options.secrets(), isRebuilt });
  }

  /** Lists the parts of a text that have the form of a key of a well-known service. @throws when the thread cannot be started */
  async listKeys(text: string): Promise<readonly string[]> {
    return await this.#host.request('list-keys', { text });
  }

  /**
   * Returns the bodies of an exchange in flight, as far as they passed. `isRebuilt`: with the messages before those of its request.
   * @throws when they cannot be searched for secrets
   */
  async readRunning(facts: ExchangeFacts, captured: CapturedExchange, isRebuilt: boolean) {
    const request = { ...this.#toBatch(facts, captured), isRebuilt };
    return await this.#host.request('clean', request, [request.bytes.buffer]);
  }

  /** Returns the run that an exchange in flight continues; `null` when there is none. @throws when the database cannot be read */
  async findRun(facts: ExchangeFacts, captured: CapturedExchange): Promise<RunId | null> {
    if (!this.#host.exists) return null;
    const request = this.#toBatch(facts, captured);
    return await this.#host.request('find-run', request, [request.bytes.buffer]);
  }

  /** Resolves when everything kept so far is stored, or counted as dropped. */
  async flush(): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#batch.exchanges > 0) this.#latest = this.#store(this.#batch);
    // The thread takes batches in their order, so the latest one is the last to be stored.
    await this.#latest;
  }

  /** Lists runs, the latest first. @throws when the database cannot be read */
  async listRuns(query: BodyRequests['runs']['request']): Promise<RunPage> {
    await this.#placeSoon();
    return this.#host.exists ? await this.#host.request('runs', query) : NO_RUNS;
  }

  /** Returns a run; `null` when there is none. @throws when the database cannot be read */
  async readRun(id: RunId): Promise<RunDetail | null> {
    await this.#placeSoon();
    return this.#host.exists ? await this.#host.request('run', { id, again: null }) : null;
  }

  /** Returns a run with the secrets masked that are known now; `null` when there is none. @throws when the database cannot be read */
  async readMaskedRun(id: RunId): Promise<RunDetail | null> {
    await this.#placeSoon();
    if (!this.#host.exists) return null;
    return await this.#host.request('run', { id, again: this.#options.secrets() });
  }

  /** Lists all exchanges of a run, those of one sequence together; none when there is no such run. @throws when the database cannot be read */
  async listSteps(id: RunId): Promise<readonly ExchangeId[]> {
    await this.#placeSoon();
    return this.#host.exists ? await this.#host.request('steps', { id }) : [];
  }

  /** Returns the titles of those runs that there are. @throws when the database cannot be read */
  async findTitles(ids: readonly RunId[]): Promise<ReadonlyMap<string, string>> {
    await this.#placeSoon();
    return this.#host.exists ? await this.#host.request('titles', { ids }) : new Map();
  }

  /**
   * Writes a run as a fixture for the sandbox, piece by piece, with the secrets masked that are known now.
   * @throws UserError when it cannot be one
   */
  writeFixture(run: RunDetail): AsyncGenerator<FixtureChunk, void, void> {
    const again = this.#options.secrets();
    return writeFixture(run, async ({ id, ...facts }) =>
      this.#host.exists ? await this.#host.request('record-step', { id, facts, again }) : null,
    );
  }

  /** Returns the place of an exchange in its run; `null` when it has none. @throws when the database cannot be read */
  async findPlace(id: ExchangeId): Promise<StepPlace | null> {
    await this.#placeSoon();
    return this.#host.exists ? await this.#host.request('find-place', { id }) : null;
  }

  /**
   * Finds exchanges whose texts have all of these phrases, the latest first, and yields all that were found so far after each step.
   * Ends after two seconds, and with its signal. @throws when the database cannot be read
   */
  async *search(phrases: readonly string[], signal: AbortSignal): AsyncGenerator<BodySearchResult> {
    await this.#placeSoon();
    const host = this.#host;
    yield* searchBodies(phrases, signal, async (query) =>
      host.exists ? await host.request('search', query) : NO_HITS,
    );
  }

  async size(): Promise<BodiesSize> {
    await this.flush();
    if (!this.#host.exists) return NOTHING;
    const clients = this.#options.limits()?.clients.map(({ client }) => client) ?? [];
    return await this.#host.request('size', { now: Date.now(), clients });
  }

  /** Pins the bodies of exchanges that have ended, or unpins them. @throws when the database cannot be written */
  async pin(ids: readonly ExchangeId[], pinned: boolean): Promise<void> {
    await this.flush();
    await this.#pinning.runExclusive(async () => {
      if (this.#host.exists) await this.#host.request('pin', { ids, pinned });
    });
  }

  /** Deletes the bodies of exchanges that have ended, pinned ones too. @throws when the database cannot be written */
  async delete(ids: readonly ExchangeId[]): Promise<void> {
    await this.flush();
    // The newest first: then few frames that stay refer to a deleted one.
    const rest = ids.toSorted().toReversed();
    while (rest.length > 0 && this.#host.exists) {
      await this.#host.request('delete', { ids: rest.splice(0, DELETE_STEP) });
    }
  }

  /** Deletes all bodies, with their file. @throws when the system refuses to delete it */
  async erase(): Promise<void> {
    await this.flush();
    await this.#host.remove();
  }

  /** Deletes what exceeds the limits. Failures are logged. */
  async prune(): Promise<void> {
    try {
      await this.#pruning.runExclusive(() => this.#prune());
    } catch (error) {
      this.#options.log('warn', 'Old requests and responses could not be deleted.', {
        reason: String(error),
      });
    }
  }

  /** Stores what was kept, and ends the thread. */
  async close(): Promise<void> {
    clearInterval(this.#pruneTimer);
    if (this.#placeTimer !== null) clearTimeout(this.#placeTimer);
    await this.flush();
    this.#closed = true;
    await this.#host.close();
  }

  /** Gives the exchanges so far their place in a run, but for those of a load that was too much for a short while. */
  async #placeSoon(): Promise<void> {
    await this.flush();
    const deadline = performance.now() + PLACE_MAX_MS;
    while (!this.#closed && this.#host.exists && performance.now() < deadline) {
      if (!(await this.#place())) return;
    }
  }

  #placeLater(): void {
    const now = performance.now();
    this.#storedAt = now;
    this.#unplacedAt ??= now;
    if (this.#placeTimer === null) {
      this.#placeTimer = setTimeout(() => void this.#placeWhileIdle(), PLACE_DELAY_MS).unref();
    } else if (now - this.#unplacedAt < PLACE_LATEST_MS) this.#placeTimer.refresh();
  }

  /** Gives exchanges their place while nothing else is to be stored, and a few of them in any case. */
  async #placeWhileIdle(): Promise<void> {
    this.#unplacedAt = null;
    try {
      do {
        if (this.#closed || !this.#host.exists || !(await this.#place())) return;
      } while (this.#storing === 0 && performance.now() - this.#storedAt >= PLACE_IDLE_MS);
      if (!this.#closed && this.#host.exists) this.#placeLater();
    } catch (error) {
      this.#options.log('warn', 'Exchanges could not be put in their runs.', {
        reason: String(error),
      });
    }
  }

  /** Gives some exchanges their place, and reports their steps. Returns whether there are more. */
  async #place(): Promise<boolean> {
    const { steps, recognised, hasMore } = await this.#host.request('place', {});
    if (recognised.length > 0) await this.#options.onRecognised(recognised);
    const watched = this.#watched.take(steps);
    if (watched.length > 0) this.#options.onSteps(watched);
    return hasMore;
  }

  async #prune(): Promise<void> {
    // The history may have deleted pinned exchanges for its size.
    await this.#pinning.runExclusive(async () => {
      if (!this.#closed && this.#host.exists) await this.#setPinned(this.#host);
    });
    while (!this.#closed && this.#host.exists) {
      const limits = this.#options.limits();
      if (limits === null) return await this.erase();
      if (!(await this.#host.request('prune', limits))) return;
    }
  }

  #toBatch(facts: ExchangeFacts, captured: CapturedExchange) {
    const batch = new BatchBuilder();
    batch.add(facts, captured);
    return { ...batch.finish(), secrets: this.#options.secrets() };
  }

  async #store(batch: BatchBuilder): Promise<void> {
    const { exchanges: count, length } = batch;
    const { bytes, exchanges } = batch.finish();
    this.#batch = new BatchBuilder(Math.min(length, FLUSH_BYTES));
    this.#storing += length;
    try {
      const request = { bytes, exchanges, secrets: this.#options.secrets() };
      const kept = await this.#host.request('keep', request, [bytes.buffer]);
      if (kept.lost > 0) this.#drop(kept.lost, kept.reason);
      this.#placeLater();
      const limit = this.#options.limits()?.bytes ?? Infinity;
      if (kept.bytes > limit && !this.#pruning.isLocked()) void this.prune();
    } catch (error) {
      this.#drop(count, error);
    } finally {
      this.#storing -= length;
    }
  }

  #add(facts: ExchangeFacts, captured: CapturedExchange): void {
    if (captured.isIncomplete || this.#storing + this.#batch.length >= MAX_STORING) {
      return this.#drop(1, 'More passed than can be stored.');
    }
    this.#batch.add(facts, captured);
    this.#watched.add(facts);
    const { length, exchanges } = this.#batch;
    if (length >= FLUSH_BYTES || exchanges >= FLUSH_EXCHANGES) void this.flush();
    else this.#timer ??= setTimeout(() => void this.flush(), FLUSH_DELAY_MS);
  }

  /** Makes the pins those of the history. */
  async #setPinned(thread: Pick<BodyThread, 'request'>): Promise<void> {
    await thread.request('set-pinned', { ids: await this.#options.findPinned() });
  }

  /**
   * Deletes bodies whose exchange a crash has kept out of the history, and old ones soon after. Reports the runs and the tools of the others
   * again, once: a crash may have kept them out of the history.
   */
  async #onOpen(thread: BodyThread): Promise<void> {
    await this.#setPinned(thread);
    const latest = await thread.request('latest', {});
    const ids = latest.map(({ id }) => id);
    const known = new Set<string>(ids.length === 0 ? [] : await this.#options.findKnown(ids));
    const strays = ids.filter((id) => !known.has(id));
    if (strays.length > 0) await thread.request('delete', { ids: strays });
    const placed = latest.filter(({ id, run }) => run !== null && known.has(id));
    const isFirst = !this.#hasReported;
    this.#hasReported = true;
    if (isFirst && placed.length > 0) await this.#options.onRecognised(placed);
    setImmediate(() => void this.prune());
  }

  #drop(count: number, reason: unknown): void {
    this.#dropped += count;
    if (performance.now() - this.#loggedAt < LOG_INTERVAL_MS) return;
    this.#loggedAt = performance.now();
    this.#options.log('error', 'Requests and responses could not be stored.', {
      reason: String(reason),
    });
  }
}
