import type { VideoId } from '../../shared/video.ts';
import type { Host } from '../host.ts';
import { Listeners } from '../listeners.ts';
import type { Step, Store } from '../store/store.ts';
import { answerSteps, type NewAnswer } from './answers.ts';
import type { VideoEvent } from './event.ts';
import type { Job } from './job.ts';
import { type Moment, settleSteps } from './kept-orders.ts';
import type { VideoPace } from './pace.ts';
import { fromRow, insertStep, type JobRow, updateStep } from './row.ts';
import { step } from './step.ts';

export interface LedgerOptions {
  readonly store: Store;
  readonly host: Pick<Host, 'now' | 'uptime' | 'bootId' | 'randomBytes' | 'log'>;
}

/** What an event did. `answer` is kept whether it did anything or not. */
export interface Change {
  /** Asked again for the job as it is when another process was faster; `null`: nothing is to happen. May throw. */
  readonly event: (job: Job) => VideoEvent | null;
  readonly answer?: NewAnswer | undefined;
  /** Written together with it, or not at all. */
  readonly also?: readonly Step[];
  readonly pace?: VideoPace;
}

export interface Changed {
  readonly before: Job;
  readonly after: Job;
}

/** More writers at once than there will ever be processes. */
const MOST_CONFLICTS = 100;

/** The jobs on the disk. Every change of a state has reached it for good before it is told here. */
export class Ledger {
  readonly store: Store;
  readonly #host: LedgerOptions['host'];
  readonly #listeners = new Listeners();
  readonly #damaged = new Set<string>();

  constructor({ store, host }: LedgerOptions) {
    this.store = store;
    this.#host = host;
  }

  /** Now, by both clocks, and something random to go with it. */
  occasion(): Moment & { readonly chance: number } {
    const [high = 0, low = 0] = this.#host.randomBytes(2);
    const { now, uptime, bootId = null } = this.#host;
    return {
      at: Math.round(now()),
      uptime: Math.round(uptime()),
      bootId,
      chance: (high * 256 + low) / 65_536,
    };
  }

  /** Ids of rows that cannot be read. */
  get damaged(): readonly string[] {
    return [...this.#damaged];
  }

  /** Without the damaged ones: those must not stand in the way of the others. */
  read(rows: readonly JobRow[]): Job[] {
    return rows.flatMap((row) => {
      const job = fromRow(row);
      if (job === null && !this.#damaged.has(row.id)) {
        this.#damaged.add(row.id);
        this.#host.log('error', 'A video is damaged in gatehouse.db and left alone.', {
          id: row.id,
        });
      }
      return job ?? [];
    });
  }

  /** Ids of all rows that cannot be read. Reads every row. */
  async findDamaged(): Promise<readonly string[]> {
    const rows = await this.store.db.selectFrom('video_job').selectAll().execute();
    this.read(rows);
    return rows.flatMap(({ id }) => (this.#damaged.has(id) ? [id] : []));
  }

  async find(id: VideoId): Promise<Job | null> {
    const { db } = this.store;
    const rows = await db.selectFrom('video_job').selectAll().where('id', '=', id).execute();
    return this.read(rows)[0] ?? null;
  }

  /** Adds a job together with what `first` changes; resolves with `false`, and adds nothing, when that changes no row. */
  async insertIf(first: Step, job: Job): Promise<boolean> {
    const inserted = await this.store.writeIf([first, insertStep(job)], { durable: true });
    if (inserted) this.#listeners.tell();
    return inserted;
  }

  /**
   * Lets something happen to a job as it is now. Resolves with what it was and what it is: the same one when nothing came of it. `null` when
   * it is not there any more.
   */
  async change(id: VideoId, change: Change): Promise<Changed | null> {
    for (let conflicts = 0; conflicts < MOST_CONFLICTS; conflicts += 1) {
      const job = await this.find(id);
      if (job === null) return null;
      const event = change.event(job);
      const next = event === null ? job : step(job, event, change.pace);
      if (await this.#save(job, next, change)) return { before: job, after: next };
    }
    throw new Error('A video job could not be changed: others changed it all the time.');
  }

  async #save(job: Job, next: Job, { answer, also = [] }: Change): Promise<boolean> {
    const answers = answer === undefined ? [] : await answerSteps(this.store, job.id, answer);
    if (next === job && answers.length === 0) return true;
    const settled = settleSteps(job, next, this.occasion());
    const steps = [updateStep(next), ...also, ...settled, ...answers];
    const durable = next.state !== job.state;
    const saved = await this.store.writeIf(steps, { durable });
    if (saved) this.#listeners.tell();
    return saved;
  }

  /** How far its download is. Never rejects: nobody waits for it. */
  async noteProgress(id: VideoId, progress: number): Promise<void> {
    const rows = [[progress, id]];
    const sql = "update video_job set progress = ? where id = ? and state = 'downloading'";
    try {
      await this.store.write([{ sql, rows }]);
      this.#listeners.tell();
    } catch (error) {
      this.#host.log('debug', 'The progress of a download was not noted.', {
        reason: String(error),
      });
    }
  }

  /** Takes a job away if it is still as it was read. */
  async delete(job: Job, also: readonly Step[] = []): Promise<boolean> {
    const sql = 'delete from video_job where id = ? and rev = ?';
    const steps = [{ sql, rows: [[job.id, job.rev]] }, ...also];
    const gone = await this.store.writeIf(steps, { durable: true });
    if (gone) this.#listeners.tell();
    return gone;
  }

  /** Something besides jobs changed that is shown with them. */
  tell(): void {
    this.#listeners.tell();
  }

  /** Called after each change made here. Returns what stops it. */
  on(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }
}
