import type { VideoId } from '../../../shared/video.ts';
import type { Host } from '../../host.ts';
import { Emitter } from '../../lib/emitter.ts';
import type { Statement, Store } from '../../store/store.ts';
import { answerStatements, type NewAnswer } from './answers.ts';
import type { VideoEvent } from '../transitions/event.ts';
import type { Job } from '../transitions/job.ts';
import { type Moment, settleStatements } from './order-dedupe.ts';
import type { VideoTiming } from '../transitions/timing.ts';
import { fromRow, insertStatement, type JobRow, updateStatement } from './row.ts';
import { transition } from '../transitions/transition.ts';

export interface JobRepositoryOptions {
  readonly store: Store;
  readonly host: Pick<Host, 'now' | 'uptime' | 'bootId' | 'randomBytes' | 'log'>;
}

/** What an event did. `answer` is kept whether it did anything or not. */
export interface TransitionRequest {
  /** Asked again for the job as it is when another process was faster; `null`: nothing is to happen. May throw. */
  readonly event: (job: Job) => VideoEvent | null;
  readonly answer?: NewAnswer | undefined;
  /** Written together with it, or not at all. */
  readonly also?: readonly Statement[];
  readonly timing?: VideoTiming;
}

export interface JobTransition {
  readonly before: Job;
  readonly after: Job;
}

/** More writers at once than there will ever be processes. */
const MAX_CONFLICTS = 100;

/** The jobs on the disk. Every change of a state has reached it for good before it is told here. */
export class JobRepository {
  readonly store: Store;
  readonly #host: JobRepositoryOptions['host'];
  readonly #listeners = new Emitter();
  readonly #damaged = new Set<string>();

  constructor({ store, host }: JobRepositoryOptions) {
    this.store = store;
    this.#host = host;
  }

  /** Now, by both clocks, and something random to go with it. */
  stamp(): Moment & { readonly jitter: number } {
    const [high = 0, low = 0] = this.#host.randomBytes(2);
    const { now, uptime, bootId = null } = this.#host;
    return {
      at: Math.round(now()),
      uptime: Math.round(uptime()),
      bootId,
      jitter: (high * 256 + low) / 65_536,
    };
  }

  /** Ids of rows that cannot be read. */
  get unreadableIds(): readonly string[] {
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
  async findUnreadable(): Promise<readonly string[]> {
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
  async insertIf(first: Statement, job: Job): Promise<boolean> {
    const inserted = await this.store.writeIfFirstChanges([first, insertStatement(job)], {
      durable: true,
    });
    if (inserted) this.#listeners.emit();
    return inserted;
  }

  /**
   * Lets something happen to a job as it is now. Resolves with what it was and what it is: the same one when nothing came of it. `null` when
   * it is not there any more.
   */
  async apply(id: VideoId, apply: TransitionRequest): Promise<JobTransition | null> {
    for (let conflicts = 0; conflicts < MAX_CONFLICTS; conflicts += 1) {
      const job = await this.find(id);
      if (job === null) return null;
      const event = apply.event(job);
      const next = event === null ? job : transition(job, event, apply.timing);
      if (await this.#save(job, next, apply)) return { before: job, after: next };
    }
    throw new Error('A video job could not be changed: others changed it all the time.');
  }

  async #save(job: Job, next: Job, { answer, also = [] }: TransitionRequest): Promise<boolean> {
    const answers = answer === undefined ? [] : await answerStatements(this.store, job.id, answer);
    if (next === job && answers.length === 0) return true;
    const settled = settleStatements(job, next, this.stamp());
    const statements = [updateStatement(next), ...also, ...settled, ...answers];
    const durable = next.state !== job.state;
    const saved = await this.store.writeIfFirstChanges(statements, { durable });
    if (saved) this.#listeners.emit();
    return saved;
  }

  /** How far its download is. Never rejects: nobody waits for it. */
  async saveProgress(id: VideoId, progress: number): Promise<void> {
    const rows = [[progress, id]];
    const sql = "update video_job set progress = ? where id = ? and state = 'downloading'";
    try {
      await this.store.write([{ sql, rows }]);
      this.#listeners.emit();
    } catch (error) {
      this.#host.log('debug', 'The progress of a download was not noted.', {
        reason: String(error),
      });
    }
  }

  /** Takes a job away if it is still as it was read. */
  async delete(job: Job, also: readonly Statement[] = []): Promise<boolean> {
    const sql = 'delete from video_job where id = ? and rev = ?';
    const statements = [{ sql, rows: [[job.id, job.rev]] }, ...also];
    const gone = await this.store.writeIfFirstChanges(statements, { durable: true });
    if (gone) this.#listeners.emit();
    return gone;
  }

  /** Something besides jobs changed that is shown with them. */
  dispatch(): void {
    this.#listeners.emit();
  }

  /** Called after each change made here. Returns what stops it. */
  on(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }
}
