import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import type { BodiesSize, EarlierMessages, ExchangeBodies } from '../../shared/exchange/body.ts';
import { ExchangeId, RunId } from '../../shared/exchange/exchange.ts';
import type { RecognisedStep, RunDetail, RunPage, StepPlace } from '../../shared/run/run.ts';
import type { CleanBody } from './clean-body.ts';
import { type FramePlace, Frames } from './frames.ts';
import { openBodyDatabase, readConsistently } from './open-body-database.ts';
import type { BodyHits, BodyLimits, BodyRequests, BodySearch, PlacedSteps } from './protocol.ts';
import { readSize } from './read-size.ts';
import { Continuations } from './runs/continuations.ts';
import type { PlacedStep } from './runs/report-step.ts';
import { findPlace, findTitles, listRuns, listSteps, readRun } from './runs/run-reader.ts';
import { toToolNames } from './runs/build-step.ts';
import { type PendingExchange, RunWriter, toPending } from './runs/run-writer.ts';
import { searchTexts, TextIndex } from './search/text-index.ts';
import {
  countBytes,
  formatBodies,
  listParts,
  packTimes,
  readClean,
  readTexts,
  toExchangeBodies,
  toKeptBodies,
} from './stored-bodies.ts';

/** The clean bodies of one exchange. */
export interface KeptExchange extends FramePlace {
  readonly id: ExchangeId;
  readonly startedAt: number;
  readonly client: string | null;
  /** What its step of a run has of it, as JSON; `null` when it has none. */
  readonly facts: string | null;
  readonly bodies: readonly CleanBody[];
}

/** A frame is closed when it has this many bytes. */
const FRAME_BYTES = 2 * 2 ** 20;
/** Exchanges that one step of pruning deletes at most. */
const PRUNE_STEP = 200;
/** Pruning for the size ends at this part of the limit, so that it does not begin again with the next exchange. */
const PRUNED_PART = 0.95;
/** Frames that are certainly written after the history was last on the disk before a crash are among these. */
const LATEST_FRAMES = 1_000;
/** Exchanges that one step of placing handles at most, and the time after which it ends. */
const PLACE_STEP = 50;
const PLACE_MS = 20;

const ToolNames = z.array(z.string().nullable());

/** The database of the bodies. It belongs to one thread. */
export class BodyDatabase {
  readonly #database: DatabaseSync;
  readonly #frames: Frames;
  readonly #texts: TextIndex;
  readonly #runs: RunWriter;
  readonly #continuations: Continuations;
  /** Whether more than the limit was stored, and pruning has not ended since. */
  #isPruning = false;

  /** Opens the file, and creates it when it does not exist. @throws SQLite's error; an error when a newer version wrote it */
  constructor(file: string) {
    this.#database = openBodyDatabase(file);
    this.#frames = new Frames(this.#database);
    this.#texts = new TextIndex(this.#database);
    const readExchange = (id: ExchangeId) => readTexts(this.#database, this.#frames, id);
    this.#continuations = new Continuations(this.#database, readExchange);
    this.#runs = new RunWriter(this.#database, this.#texts, {
      continuations: this.#continuations,
      readBodies: (id) => this.read(id),
    });
  }

  /** Stores exchanges, all or none. Of an exchange that is stored already nothing changes. Returns the bytes on the disk. */
  keep(exchanges: readonly KeptExchange[]): number {
    const insert = this.#database.prepare(
      `insert or ignore into exchange (id, started_at, frame, at, bodies, times, client, facts)
       values (?, ?, ?, ?, ?, ?, ?, ?)`,
    );
    this.#transact(() => {
      for (const { run, kind, members } of toFrames(exchanges)) {
        const frame = this.#frames.add({ run, kind }, Buffer.concat(members.flatMap(listParts)));
        let at = 0;
        for (const { id, startedAt, bodies, client, facts } of members) {
          const packed = packTimes(bodies);
          insert.run(id, startedAt, frame, at, formatBodies(bodies), packed, client, facts);
          at += countBytes(bodies);
        }
      }
    });
    return this.#usedBytes();
  }

  read(id: ExchangeId): ExchangeBodies {
    return toKeptBodies(this.readClean(id));
  }

  /** Returns the bodies of an exchange as they are stored; `null` when none are. @throws when they are damaged */
  readClean(id: ExchangeId): readonly CleanBody[] | null {
    return readClean(this.#database, this.#frames, id);
  }

  /** Returns the messages before those of a stored request; `undefined` when it has them all, or nothing is stored. */
  readEarlier(id: ExchangeId, bodies: ExchangeBodies): EarlierMessages | undefined {
    return readConsistently(this.#database, () => this.#continuations.read(id, bodies));
  }

  /** Gives some exchanges their place in a run, the oldest first. */
  place(): PlacedSteps {
    const deadline = performance.now() + PLACE_MS;
    const oldest = this.#database.prepare(
      `select id, started_at, client, facts from exchange where is_placed = 0 and facts is not null
       order by started_at, id limit 1`,
    );
    if (oldest.get() === undefined) return { steps: [], recognised: [], hasMore: false };
    const mark = this.#database.prepare('update exchange set is_placed = 1 where id = ?');
    const steps: PlacedStep[] = [];
    const recognised: RecognisedStep[] = [];
    this.#transact(() => {
      for (let placed = 0; placed < PLACE_STEP; placed += 1) {
        // Placing one can release older ones than those that wait next.
        const row = oldest.get();
        if (row === undefined) break;
        mark.run(String(row['id']));
        const pending = toPending(row);
        const step = pending === null ? null : this.#placeExchange(pending);
        if (step !== null) {
          steps.push(step);
          const { id, tools } = step;
          const run = RunId.parse(step.run);
          if (run !== pending?.run || tools.length > 0) recognised.push({ id, run, tools });
        }
        if (performance.now() > deadline) break;
      }
    });
    const { more } = this.#get(
      'select exists (select 1 from exchange where is_placed = 0 and facts is not null) as more',
    );
    return { steps, recognised, hasMore: more === 1 };
  }

  listRuns(query: Parameters<typeof listRuns>[1]): RunPage {
    return listRuns(this.#database, query);
  }

  readRun(id: RunId): RunDetail | null {
    return readRun(this.#database, id);
  }

  findTitles(ids: readonly RunId[]): ReadonlyMap<string, string> {
    return findTitles(this.#database, ids);
  }

  listSteps(id: RunId): readonly ExchangeId[] {
    return listSteps(this.#database, id);
  }

  findPlace(id: ExchangeId): StepPlace | null {
    return findPlace(this.#database, id);
  }

  /** Returns the run that an exchange in flight continues; `null` when there is none, or nothing of it passed yet. */
  findRun([exchange]: readonly KeptExchange[]): RunId | null {
    if (exchange === undefined) return null;
    const { id, startedAt, client, facts, bodies } = exchange;
    const pending = toPending({ id, started_at: startedAt, client, facts });
    const passed = toExchangeBodies('running', bodies);
    return pending === null ? null : this.#runs.findRun(pending, passed);
  }

  /** Returns the messages before those of a request in flight; `undefined` when it has them all. */
  findEarlier([exchange]: readonly KeptExchange[]): EarlierMessages | undefined {
    if (exchange === undefined) return undefined;
    const { id, startedAt, client, facts, bodies } = exchange;
    const pending = toPending({ id, started_at: startedAt, client, facts });
    if (pending === null) return undefined;
    const passed = toExchangeBodies('running', bodies);
    return readConsistently(this.#database, () =>
      this.#continuations.show(pending, pending.facts.protocol, passed),
    );
  }

  /** Finds exchanges by the texts of their requests and responses. */
  search(query: BodySearch): BodyHits {
    return searchTexts(this.#database, query);
  }

  /** Deletes some of what exceeds the limits, for the size pinned exchanges last. Returns whether there is more. */
  prune(limits: BodyLimits): boolean {
    if (this.#deleteAged(limits) === PRUNE_STEP) return true;
    if (this.#pruneToSize(limits)) return true;
    const hasMore = this.#texts.merge();
    if (hasMore) this.#releaseSpace();
    return hasMore;
  }

  /** Deletes some of what exceeds the limit for the size. Returns whether there is more. */
  #pruneToSize({ bytes }: BodyLimits): boolean {
    const used = this.#usedBytes();
    this.#isPruning ||= used > bytes;
    if (!this.#isPruning) return false;
    const { stored, pinned } = this.#get(
      'select count(*) as stored, min(pinned) as pinned from exchange',
    );
    // Pinned ones are deleted only when no others are left, and only as far as they must be.
    const excess = used - bytes * (pinned === 1 ? 1 : PRUNED_PART);
    if (excess <= 0) return (this.#isPruning = false);
    // By their mean size, so that hardly more is deleted than must be.
    const step = Math.min(PRUNE_STEP, Math.ceil((excess / used) * Number(stored)));
    const rows = this.#database
      .prepare('select id from exchange where pinned = ? order by started_at limit ?')
      .all(Number(pinned), step);
    return this.#deleteRows(rows) > 0 || (this.#isPruning = false);
  }

  /** Returns the exchanges in the newest frames with their runs and tools. */
  listLatest(): RecognisedStep[] {
    const rows = this.#database
      .prepare(
        `select exchange.id, step.run, (select json_group_array(name) from (
            select value ->> 'name' as name from json_each(step.facts, '$.calls')
            union all select value ->> 'name' from json_each(step.facts, '$.results'))) as tools
         from exchange left join step on step.id = exchange.id
         where frame > (select max(id) from frame) - ?`,
      )
      .all(LATEST_FRAMES);
    return rows.map(({ id, run, tools }) => ({
      id: ExchangeId.parse(id),
      run: run === null ? null : RunId.parse(run),
      tools: toToolNames(ToolNames.parse(JSON.parse(String(tools)))),
    }));
  }

  size(query: BodyRequests['size']['request']): BodiesSize {
    return readSize(this.#database, this.#usedBytes(), query);
  }

  close(): void {
    this.#database.close();
  }

  /** Pins exchanges, or unpins them. */
  pin(exchanges: readonly string[], pinned: boolean): void {
    const update = this.#database.prepare(
      'update exchange set pinned = ? where id in (select value from json_each(?))',
    );
    update.run(Number(pinned), JSON.stringify(exchanges));
  }

  /** Makes these the pinned exchanges, and no others. */
  setPinned(exchanges: readonly string[]): void {
    const these = '(select value from json_each(?))';
    const ids = JSON.stringify(exchanges);
    this.#transact(() => {
      this.#database
        .prepare(`update exchange set pinned = 0 where pinned = 1 and id not in ${these}`)
        .run(ids);
      // With the sign the rows are found by their ids.
      this.#database
        .prepare(`update exchange set pinned = 1 where +pinned = 0 and id in ${these}`)
        .run(ids);
    });
  }

  /** Deletes exchanges that are older than the limit of their client, pinned ones only where nothing is kept. Returns their number. */
  #deleteAged({ before, none, clients }: BodyLimits): number {
    const rows = this.#database
      .prepare(
        `select id from exchange where pinned in (0, ?4) and started_at < ?1
           and (client is null or client not in (select value ->> 'client' from json_each(?2)))
         union all
         select exchange.id from json_each(?2) as own join exchange
           on client = own.value ->> 'client' and started_at < own.value ->> 'before'
           and pinned <= (own.value ->> 'none')
         limit ?3`,
      )
      .all(before, JSON.stringify(clients), PRUNE_STEP, Number(none));
    return this.#deleteRows(rows);
  }

  #deleteRows(rows: readonly Record<string, unknown>[]): number {
    if (rows.length > 0) this.delete(rows.map((row) => String(row['id'])));
    return rows.length;
  }

  /** Deletes exchanges, and the frames that no other exchange is in. */
  delete(exchanges: readonly string[]): void {
    const findFrames = this.#database.prepare('select frame from exchange where id = ?');
    const remove = this.#database.prepare('delete from exchange where id = ?');
    const isUsed = this.#database.prepare('select 1 from exchange where frame = ? limit 1');
    this.#transact(() => {
      const frames = new Set<number>();
      for (const id of exchanges) {
        for (const row of findFrames.all(id)) frames.add(Number(row['frame']));
        remove.run(id);
      }
      const unused = [...frames].filter((frame) => isUsed.get(frame) === undefined);
      this.#frames.delete(new Set(unused));
    });
    this.#continuations.forgetDeleted(new Set(exchanges));
    this.#releaseSpace();
  }

  /** Gives an exchange its place. Returns its step; `null` when its bodies are damaged, so that it has none. @throws SQLite's error */
  #placeExchange(pending: PendingExchange): PlacedStep | null {
    try {
      return this.#runs.add(pending);
    } catch (error) {
      if (Object(error).errcode !== undefined) throw error;
      return null;
    }
  }

  #releaseSpace(): void {
    this.#database.exec('pragma incremental_vacuum; pragma wal_checkpoint(truncate)');
  }

  #usedBytes(): number {
    const pages = Number(this.#get('pragma page_count')['page_count']);
    const free = Number(this.#get('pragma freelist_count')['freelist_count']);
    return (pages - free) * Number(this.#get('pragma page_size')['page_size']);
  }

  #get(sql: string): Record<string, unknown> {
    return this.#database.prepare(sql).get() ?? {};
  }

  #transact(work: () => void): void {
    this.#database.exec('begin immediate');
    try {
      work();
      this.#database.exec('commit');
    } catch (error) {
      this.#frames.forget();
      this.#runs.forget();
      this.#continuations.forget();
      if (this.#database.isTransaction) this.#database.exec('rollback');
      throw error;
    }
  }
}

interface FrameDraft extends FramePlace {
  readonly members: KeptExchange[];
  bytes: number;
}

/** Puts exchanges of one run into common frames, because many small ones compress better and faster together. */
function toFrames(exchanges: readonly KeptExchange[]): readonly FrameDraft[] {
  const frames: FrameDraft[] = [];
  const current = new Map<string, FrameDraft>();
  for (const exchange of exchanges) {
    let frame = current.get(exchange.run);
    if (frame === undefined || frame.bytes >= FRAME_BYTES) {
      frame = { run: exchange.run, kind: exchange.kind, members: [], bytes: 0 };
      current.set(exchange.run, frame);
      frames.push(frame);
    }
    frame.members.push(exchange);
    frame.bytes += countBytes(exchange.bodies);
  }
  return frames;
}
