import { setTimeout as pause } from 'node:timers/promises';
import type { VideoId, VideoState } from '../../../shared/video/video.ts';
import type { Log } from '../../host.ts';
import {
  type JobActionDeps,
  JobActions,
  type SaveUntilDone,
  type ServiceAccess,
} from './job-actions.ts';
import { type Job } from '../transitions/job.ts';
import { ACTIVE_VIDEO_STATES, RUNNING_VIDEO_STATES } from '../../../shared/video/video-states.ts';
import type { JobTransition } from '../store/job-repository.ts';
import { createSaveUntilDone } from './save-until-done.ts';
import {
  countOwnActive,
  findDueJobs,
  findJobsInStates,
  findNextDueTime,
  findNextWaiting,
  findStates,
} from '../store/schedule.ts';
import { ServiceBackoff } from './service-backoff.ts';

export interface RunnerOptions extends JobActionDeps {
  readonly log: Log;
  /** Unix time in milliseconds. */
  readonly now: () => number;
}

/** A job with an action in progress. */
interface Running {
  readonly state: VideoState;
  readonly stop: AbortController;
  /** Whether its order may be sent now. Only the end of Gatehouse stops that. */
  ordering: boolean;
}

/** Maximum of polls and of downloads at the same time. */
const MAX_POLLS = 16;
const MAX_DOWNLOADS = 4;
/** States whose next action may lead to an order. */
const PRE_SUBMIT_STATES: ReadonlySet<VideoState> = new Set(['waiting', 'uploading']);
/** Longest time between two checks, because the clock may be set and the machine may sleep. */
const TICK_MS = 30_000;
/** Pause after a failure of the database. */
const BACK_OFF_MS = 5_000;
const INTERNAL_ERROR = 'Gatehouse had an internal error. Its log says why. It will try again.';
const STUCK = 'The last attempt failed. Gatehouse will try again.';
const INTERNAL_ERROR_IN_ORDER =
  'Gatehouse failed while the order was being sent, so it is unknown whether it arrived. The log says why.';

/** Performs the due actions of all jobs of a data folder. There is one runner for a data folder. */
export class Runner {
  readonly #options: RunnerOptions;
  readonly #actions: JobActions;
  readonly #running = new Map<VideoId, Running>();
  readonly #pending = new Set<Promise<void>>();
  /** Active jobs of an earlier run that are not recovered yet. */
  readonly #interrupted = new Set<VideoId>();
  /** Revision of each job when its last action began. A job that no action changes must not be started in a loop. */
  readonly #lastStartedRev = new Map<VideoId, number>();
  readonly #backoff = new ServiceBackoff();
  readonly #ending = new AbortController();
  readonly #saveUntilDone: SaveUntilDone;
  #timer: NodeJS.Timeout | null = null;
  #ticking = false;
  #tickAgain = false;
  /** Whether nothing is started: before `begin`, and after a failure. */
  #backingOff = true;
  #closing = false;

  constructor(options: RunnerOptions) {
    this.#options = options;
    this.#saveUntilDone = createSaveUntilDone(options.log, this.#ending.signal);
    const onReply: JobActionDeps['onReply'] = (job, taskId, reply) => {
      this.#backoff.observe(job.service, reply, options.run.timing.pollMs);
      options.onReply(job, taskId, reply);
    };
    this.#actions = new JobActions({ ...options, onReply });
  }

  /** Recovers the jobs of an earlier run; an order that was being sent then is unsure. */
  async recover(): Promise<void> {
    const { repository, log } = this.#options;
    for (const { id } of await findJobsInStates(repository, ACTIVE_VIDEO_STATES))
      this.#interrupted.add(id);
    // A full disk must not keep Gatehouse from starting. Recovery is tried again before anything is started.
    await this.#resumeInterrupted().catch((error: unknown) =>
      log('error', 'Video jobs of an earlier run are not recovered yet.', {
        reason: String(error),
      }),
    );
  }

  async #resumeInterrupted(): Promise<void> {
    for (const id of this.#interrupted) {
      await this.#options.repository.dispatch(id, { kind: 'engine-started' });
      this.#interrupted.delete(id);
    }
  }

  begin(): void {
    this.#backingOff = false;
    this.wake();
  }

  /** Checks for due jobs now. */
  wake(): void {
    this.#tickAgain = true;
    if (this.#ticking || this.#backingOff || this.#closing) return;
    this.#ticking = true;
    const end = this.#tick()
      .catch((error: unknown) => this.#backOff(error))
      .finally(() => {
        this.#ticking = false;
        this.#pending.delete(end);
      });
    this.#pending.add(end);
  }

  /** Stops all actions but orders that are being sent, and starts them again. */
  restart(): void {
    this.#stop(() => true);
    this.wake();
  }

  /** Tries blocked jobs at once, because a key or a service may have been added. */
  async unblock(): Promise<void> {
    const { repository, log } = this.#options;
    this.#backoff.reset();
    try {
      const jobs = await findJobsInStates(repository, RUNNING_VIDEO_STATES);
      for (const { id, problem } of jobs) {
        if (problem !== null) await repository.dispatch(id, { kind: 'unblocked' });
      }
    } catch (error) {
      log('error', 'Videos that wait for a key or a service could not be resumed.', {
        reason: String(error),
      });
    }
    this.wake();
  }

  /** Starts nothing more, waits up to `drainMs` for orders that are being sent, and stops the rest. A second call with less time hurries. */
  async close(drainMs: number): Promise<void> {
    this.#closing = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    for (const { ordering, stop } of this.#running.values()) if (!ordering) stop.abort();
    const ended = Promise.all(this.#pending);
    await Promise.race([ended, pause(drainMs, undefined, { ref: false })]);
    this.#ending.abort();
    await ended;
  }

  async #tick(): Promise<void> {
    await this.#resumeInterrupted();
    while (this.#tickAgain && !this.#closing) {
      this.#tickAgain = false;
      await this.#abortAbandoned();
      await this.#startDue();
      await this.#scheduleWake(await this.#startWaiting());
    }
  }

  /** Pauses after a failure of the database or of our own. */
  #backOff(error: unknown): void {
    this.#options.log('error', 'The video queue pauses for a moment.', { reason: String(error) });
    this.#backingOff = true;
    this.#setTimer(BACK_OFF_MS);
  }

  #setTimer(ms: number): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#backingOff = false;
      this.wake();
    }, ms).unref();
  }

  /** Returns the jobs, states and services for which nothing is started. */
  #capacity() {
    const count = (...states: readonly VideoState[]) =>
      [...this.#running.values()].filter(({ state }) => states.includes(state)).length;
    const downloads = count('downloading');
    const polls = count('identifying', 'rendering');
    const states: VideoState[] = this.#options.run.isPaused() ? [...PRE_SUBMIT_STATES] : [];
    if (downloads >= MAX_DOWNLOADS) states.push('downloading');
    if (polls >= MAX_POLLS) states.push('identifying', 'rendering');
    const { unreadableIds } = this.#options.repository;
    return {
      at: Math.round(this.#options.now()),
      busy: [...this.#running.keys(), ...unreadableIds],
      states,
      services: this.#backoff.listPaused(),
      claims: count('waiting'),
      limit: Math.max(1, Math.min(MAX_POLLS - polls, MAX_DOWNLOADS - downloads)),
    };
  }

  async #startDue(): Promise<void> {
    for (;;) {
      const jobs = await findDueJobs(this.#options.repository, this.#capacity());
      if (jobs.length === 0 || this.#closing) return;
      for (const job of jobs) this.#start(job);
    }
  }

  /** Starts waiting jobs while there is room. Returns whether there is room for another one. */
  async #startWaiting(): Promise<boolean> {
    const { repository, run } = this.#options;
    const taken = this.#capacity();
    const own = await countOwnActive(repository);
    const limit = run.isPaused() ? 0 : run.settings().videosAtOnce - own - taken.claims;
    const jobs = await findNextWaiting(repository, { ...taken, limit });
    if (this.#closing) return false;
    for (const job of jobs) this.#start(job);
    return limit > jobs.length;
  }

  async #scheduleWake(waiting: boolean): Promise<void> {
    const { repository, now } = this.#options;
    const taken = this.#capacity();
    const due = await findNextDueTime(repository, taken, waiting);
    const pauses = this.#backoff.toNextDelay();
    if (this.#closing) return;
    const delays = [due === null ? null : due - now(), pauses].filter((delay) => delay !== null);
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (delays.length > 0) this.#setTimer(Math.max(0, Math.min(TICK_MS, ...delays)));
  }

  /** Aborts actions of jobs that a person has stopped, and of those that would lead to an order while Gatehouse is paused. */
  async #abortAbandoned(): Promise<void> {
    if (this.#options.run.isPaused()) this.#stop(({ state }) => PRE_SUBMIT_STATES.has(state));
    const ids = [...this.#running.keys()];
    if (ids.length === 0) this.#lastStartedRev.clear();
    if (ids.length === 0) return;
    const states = await findStates(this.#options.repository, ids);
    for (const [id, running] of this.#running) {
      const state = states.get(id);
      const stopped = state === undefined || state === 'cancelled' || state === 'timed-out';
      if (stopped && ids.includes(id) && !running.ordering) running.stop.abort();
    }
  }

  /** Aborts actions that are free and so can be started again. */
  #stop(which: (running: Running) => boolean): void {
    for (const [id, running] of this.#running) {
      if (running.ordering || !which(running)) continue;
      running.stop.abort();
      this.#lastStartedRev.delete(id);
    }
  }

  #start(job: Job): void {
    const running: Running = { state: job.state, stop: new AbortController(), ordering: false };
    const stuck = this.#lastStartedRev.get(job.id) === job.rev;
    this.#running.set(job.id, running);
    this.#lastStartedRev.set(job.id, job.rev);
    const end = (stuck ? this.#reportStuck(job) : this.#runJob(job, running))
      .catch(async (error: unknown) => await this.#onJobFailure(job, running, error))
      .finally(() => {
        this.#running.delete(job.id);
        this.#pending.delete(end);
        this.wake();
      });
    this.#pending.add(end);
  }

  async #onJobFailure(job: Job, { stop }: Running, error: unknown): Promise<void> {
    if (stop.signal.aborted) return;
    const { repository, log } = this.#options;
    log('error', 'An action for a video failed.', { id: job.id, reason: String(error) });
    try {
      await repository.dispatch(job.id, { kind: 'internal-error', sentence: INTERNAL_ERROR });
    } catch (secondError) {
      this.#backOff(secondError);
    }
  }

  async #reportStuck({ id }: Job): Promise<void> {
    await this.#options.repository.dispatch(id, { kind: 'internal-error', sentence: STUCK });
  }

  async #runJob(job: Job, running: Running): Promise<void> {
    const { repository, run, now } = this.#options;
    if (job.plannedAt !== null && job.plannedAt > now()) {
      await repository.dispatch(job.id, { kind: 'clock-set-back' });
      return;
    }
    const refusal = job.state === 'waiting' ? this.#actions.findRefusal(job) : null;
    if (refusal !== null) {
      await repository.dispatch(job.id, { kind: 'blocked', sentence: refusal });
      return;
    }
    const lease = await run.acquireConnection(job.service);
    if ('sentence' in lease) {
      await repository.dispatch(job.id, { kind: 'blocked', sentence: lease.sentence });
      return;
    }
    try {
      await this.#performAction(job, running, {
        connection: lease.connection,
        signal: running.stop.signal,
      });
    } finally {
      lease.release();
    }
  }

  async #performAction(job: Job, running: Running, access: ServiceAccess): Promise<void> {
    const { state } = job;
    if (this.#closing || access.signal.aborted) return;
    if (state === 'waiting')
      await this.#submitOrder(await this.#actions.claim(job), running, access);
    if (state === 'uploading')
      await this.#submitOrder(await this.#actions.upload(job, access), running, access);
    if (state === 'identifying') await this.#actions.identify(job, access);
    if (state === 'rendering') await this.#actions.poll(job, access);
    if (state === 'downloading') await this.#actions.fetch(job, access);
  }

  /** Sends an order if this transition has put it on the disk, because then nobody else sends it. */
  async #submitOrder(
    changed: JobTransition | null,
    running: Running,
    { connection }: ServiceAccess,
  ): Promise<void> {
    if (changed === null) return;
    const { before, after } = changed;
    if (after.state !== 'submitting' || after.orders !== before.orders + 1) return;
    running.ordering = true;
    try {
      await this.#actions.order(
        after,
        { connection, signal: this.#ending.signal },
        this.#saveUntilDone,
      );
    } catch (error) {
      // An order without an outcome may have been sent.
      const what = {
        kind: 'lost',
        order: after.orders,
        sentence: INTERNAL_ERROR_IN_ORDER,
      } as const;
      await this.#options.repository.dispatch(after.id, what);
      throw error;
    }
  }
}
