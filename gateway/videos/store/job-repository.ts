import { isDeepStrictEqual } from 'node:util';
import type { FieldMap, VideoAnswer, VideoId } from '../../../shared/video/video.ts';
import type { Host } from '../../host.ts';
import { Emitter } from '../../lib/emitter.ts';
import type { Statement, Store } from '../../store/store.ts';
import { type AnswerText, answerStatements, type NewAnswer } from './answers.ts';
import { changeFieldMap, readFieldMap } from './field-maps.ts';
import type { AnyEventPayload, VideoEvent } from '../transitions/event.ts';
import type { Job } from '../transitions/job.ts';
import { type Moment, settleStatements } from './order-dedupe.ts';
import { DEFAULT_TIMING, type VideoTiming } from '../transitions/timing.ts';
import { fromRow, insertStatement, type JobRow, updateStatement } from './row.ts';
import { transition } from '../transitions/transition.ts';

export interface JobRepositoryOptions {
  readonly store: Store;
  readonly host: Pick<Host, 'now' | 'uptime' | 'bootId' | 'randomBytes' | 'log'>;
}

/** Data that is saved in the same transaction as a transition. */
export interface TransitionAttachments {
  /** Is saved whether the event changed the job or not. */
  readonly answer?: NewAnswer | undefined;
  readonly also?: readonly Statement[];
}

export interface TransitionRequest extends TransitionAttachments {
  /** Called again with the job as it is now when another process was faster; `null`: no event. May throw. */
  readonly event: (job: Job) => VideoEvent | null;
}

/** How the engine that runs the jobs times their transitions, and removes secrets from answers. */
export interface TransitionSettings {
  readonly timing: VideoTiming;
  readonly redact: (text: string) => string;
}

/** A job before and after a transition; the same object twice when nothing changed. */
export interface JobTransition {
  readonly before: Job;
  readonly after: Job;
}

/** There will never be more processes that write at once. */
const MAX_CONFLICTS = 100;

/** Stores the video jobs. Listeners are called once a change of state is durably on the disk. */
export class JobRepository {
  readonly store: Store;
  readonly #host: JobRepositoryOptions['host'];
  readonly #listeners = new Emitter();
  readonly #damaged = new Set<string>();
  /** `null` in a process that does not run the jobs, and so saves no answers. */
  #settings: TransitionSettings | null = null;

  constructor({ store, host }: JobRepositoryOptions) {
    this.store = store;
    this.#host = host;
  }

  /** Sets how transitions made here are timed, and how answers are redacted. */
  configure(settings: TransitionSettings): void {
    this.#settings = settings;
  }

  /** Returns the present time by both clocks, and a random number in [0, 1) that spreads deadlines. */
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

  /** Ids of rows that could not be read so far. */
  get unreadableIds(): readonly string[] {
    return [...this.#damaged];
  }

  /** Parses rows. Damaged ones are logged once and left out, so that they do not block the others. */
  read(rows: readonly JobRow[]): Job[] {
    return rows.flatMap((row) => {
      const job = fromRow(row);
      if (job === null && !this.#damaged.has(row.id)) {
        this.#damaged.add(row.id);
        this.#host.log('error', 'A video is damaged in gatehouse.db and is skipped.', {
          id: row.id,
        });
      }
      return job ?? [];
    });
  }

  /** Finds the ids of all rows that cannot be read. Reads every row. */
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

  /** Inserts a job in one transaction with `first`. Resolves with `false`, and inserts nothing, when `first` changes no row. */
  async insertIf(first: Statement, job: Job): Promise<boolean> {
    const inserted = await this.store.writeIfFirstChanges([first, insertStatement(job)], {
      durable: true,
    });
    if (inserted) this.#listeners.emit();
    return inserted;
  }

  /**
   * Applies an event to a job, stamped with the present time; `null` saves the attachments only. Resolves with `null` when the job no longer exists.
   */
  async dispatch(
    id: VideoId,
    payload: AnyEventPayload | null,
    attachments: TransitionAttachments = {},
  ): Promise<JobTransition | null> {
    const event = payload === null ? null : { ...payload, ...this.stamp() };
    return await this.apply(id, { event: () => event, ...attachments });
  }

  /**
   * Applies an event that depends on the job as it is now. Resolves with `null` when the job no longer exists. Rejects with what
   * `event` throws.
   */
  async apply(id: VideoId, request: TransitionRequest): Promise<JobTransition | null> {
    for (let conflicts = 0; conflicts < MAX_CONFLICTS; conflicts += 1) {
      const job = await this.find(id);
      if (job === null) return null;
      const event = request.event(job);
      const next =
        event === null ? job : transition(job, event, this.#settings?.timing ?? DEFAULT_TIMING);
      if (await this.#save(job, next, request)) return { before: job, after: next };
    }
    throw new Error('A video job could not be changed: others kept changing it.');
  }

  async #save(job: Job, next: Job, { answer, also = [] }: TransitionAttachments): Promise<boolean> {
    const answers = answer === undefined ? [] : await answerStatements(this.store, job.id, answer);
    if (next === job && answers.length === 0) return true;
    const settled = settleStatements(job, next, this.stamp());
    const statements = [updateStatement(next), ...also, ...settled, ...answers];
    const durable = next.state !== job.state;
    const saved = await this.store.writeIfFirstChanges(statements, { durable });
    if (saved) this.#listeners.emit();
    return saved;
  }

  /** Creates the record of an answer, without any key. Only after `configure`. */
  createAnswer(stage: VideoAnswer['stage'], { status, text }: AnswerText): NewAnswer {
    if (this.#settings === null)
      throw new Error('Answers are saved only by the engine that runs the jobs.');
    return { stage, at: this.stamp().at, status, text: this.#settings.redact(text) };
  }

  /** Saves where a service puts fields that its specification does not name. */
  async saveLearnedFields(service: string, learned: Partial<FieldMap>): Promise<void> {
    const known = await readFieldMap(this.store, service);
    if (isDeepStrictEqual({ ...known, ...learned }, known)) return;
    await changeFieldMap(this.store, service, (map) => ({ ...map, ...learned }));
    this.notify();
  }

  /** Saves how far a download is, from 0 to 1. Never rejects, as nobody waits for it. */
  async saveProgress(id: VideoId, progress: number): Promise<void> {
    const rows = [[progress, id]];
    const sql = "update video_job set progress = ? where id = ? and state = 'downloading'";
    try {
      await this.store.write([{ sql, rows }]);
      this.#listeners.emit();
    } catch (error) {
      this.#host.log('debug', 'The progress of a download was not recorded.', {
        reason: String(error),
      });
    }
  }

  /** Deletes a job if it is still as it was read. Resolves with whether it was. */
  async delete(job: Job, also: readonly Statement[] = []): Promise<boolean> {
    const sql = 'delete from video_job where id = ? and rev = ?';
    const statements = [{ sql, rows: [[job.id, job.rev]] }, ...also];
    const deleted = await this.store.writeIfFirstChanges(statements, { durable: true });
    if (deleted) this.#listeners.emit();
    return deleted;
  }

  /** Calls the listeners after a change of something that is shown with the jobs. */
  notify(): void {
    this.#listeners.emit();
  }

  /** Calls `listener` after each change made by this process. Returns the function that stops it. */
  on(listener: () => void): () => void {
    return this.#listeners.on(listener);
  }
}
