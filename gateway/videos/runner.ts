import { setTimeout as pause } from 'node:timers/promises';
import type { VideoId, VideoState } from '../../shared/video.ts';
import type { Log } from '../host.ts';
import { type ActGround, Acts, type Persist, type Way } from './acts.ts';
import { type Job, UNDER_WAY } from './job.ts';
import type { Changed } from './ledger.ts';
import { makePersist } from './persist.ts';
import { countOwn, dueJobs, jobsIn, nextDue, nextInTurn, statesOf } from './schedule.ts';
import { Throttle } from './throttle.ts';

export interface RunnerOptions extends ActGround {
  readonly log: Log;
  /** Unix time in milliseconds. */
  readonly now: () => number;
}

/** One job that is being acted for. */
interface Running {
  readonly state: VideoState;
  readonly stop: AbortController;
  /** Its order may be on its way: only the end of Gatehouse stops that. */
  ordering: boolean;
}

/** Questions at the same time, and downloads. */
const MOST_QUESTIONS = 16;
const MOST_DOWNLOADS = 4;
/** What leads to an order. */
const BEGINS_AN_ORDER: ReadonlySet<VideoState> = new Set(['waiting', 'uploading']);
/** However far away the next plan is: the clock may be set, the machine may sleep. */
const LOOK_MS = 30_000;
/** After the database failed. */
const REST_MS = 5_000;
const STUMBLED = 'Gatehouse itself failed at this; its log says why. It will try again.';
const STUCK = 'The latest try came to nothing. It will try again.';
const STUMBLED_IN_ORDER =
  'Gatehouse itself failed while the order was on its way, so nobody knows whether it arrived. Its log says why.';

/** Does for the jobs of a data folder what is due, by one schedule for all of them. There is one runner for a data folder. */
export class Runner {
  readonly #options: RunnerOptions;
  readonly #acts: Acts;
  readonly #running = new Map<VideoId, Running>();
  readonly #ends = new Set<Promise<void>>();
  /** Jobs of an earlier run that have not heard yet that it ended. */
  readonly #left = new Set<VideoId>();
  /** How each job was when it was last begun: one that nothing came of must not be begun all the time. */
  readonly #begun = new Map<VideoId, number>();
  readonly #throttle = new Throttle();
  readonly #ending = new AbortController();
  readonly #persist: Persist;
  #timer: NodeJS.Timeout | null = null;
  #looking = false;
  #lookAgain = false;
  /** Also before it begins. */
  #resting = true;
  #closing = false;

  constructor(options: RunnerOptions) {
    this.#options = options;
    this.#persist = makePersist(options.log, this.#ending.signal);
    const onReply: ActGround['onReply'] = (job, taskId, reply) => {
      this.#throttle.heed(job.service, reply, options.run.pace.pollMs);
      options.onReply(job, taskId, reply);
    };
    this.#acts = new Acts({ ...options, onReply });
  }

  /** Takes up what an earlier run left; an order that was on its way then is unsure. */
  async takeOver(): Promise<void> {
    const { hearing, log } = this.#options;
    for (const { id } of await jobsIn(hearing.ledger, UNDER_WAY)) this.#left.add(id);
    // A full disk must not keep Gatehouse from starting: it is tried again before anything is begun.
    await this.#takeUp().catch((error: unknown) =>
      log('error', 'What an earlier run left is not taken up yet.', { reason: String(error) }),
    );
  }

  async #takeUp(): Promise<void> {
    for (const id of this.#left) {
      await this.#options.hearing.tell(id, { kind: 'found' });
      this.#left.delete(id);
    }
  }

  begin(): void {
    this.#resting = false;
    this.look();
  }

  /** Looks for what is due, now. */
  look(): void {
    this.#lookAgain = true;
    if (this.#looking || this.#resting || this.#closing) return;
    this.#looking = true;
    const end = this.#lookAround()
      .catch((error: unknown) => this.#rest(error))
      .finally(() => {
        this.#looking = false;
        this.#ends.delete(end);
      });
    this.#ends.add(end);
  }

  /** Stops everything but orders on their way, and begins it again. */
  startOver(): void {
    this.#stop(() => true);
    this.look();
  }

  /** Tries at once what something stood in the way of: a key or a service may have come. */
  async unblock(): Promise<void> {
    const { hearing, log } = this.#options;
    this.#throttle.forget();
    try {
      const jobs = await jobsIn(hearing.ledger, [...UNDER_WAY, 'waiting']);
      for (const { id, problem } of jobs) {
        if (problem !== null) await hearing.tell(id, { kind: 'unblocked' });
      }
    } catch (error) {
      log('error', 'Videos that wait for a key or a service were not woken.', {
        reason: String(error),
      });
    }
    this.look();
  }

  /** Begins nothing more. Orders on their way are waited for up to `drainMs`; the rest is stopped. Called again, it hurries. */
  async close(drainMs: number): Promise<void> {
    this.#closing = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    for (const { ordering, stop } of this.#running.values()) if (!ordering) stop.abort();
    const ended = Promise.all(this.#ends);
    await Promise.race([ended, pause(drainMs, undefined, { ref: false })]);
    this.#ending.abort();
    await ended;
  }

  async #lookAround(): Promise<void> {
    await this.#takeUp();
    while (this.#lookAgain && !this.#closing) {
      this.#lookAgain = false;
      await this.#leaveAbandoned();
      await this.#beginDue();
      await this.#plan(await this.#beginWaiting());
    }
  }

  /** The database failed, or we did: not again and again without a pause. */
  #rest(error: unknown): void {
    this.#options.log('error', 'The video queue rests for a moment.', { reason: String(error) });
    this.#resting = true;
    this.#setTimer(REST_MS);
  }

  #setTimer(ms: number): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#resting = false;
      this.look();
    }, ms).unref();
  }

  /** What nothing is begun for. */
  #taken() {
    const count = (...states: readonly VideoState[]) =>
      [...this.#running.values()].filter(({ state }) => states.includes(state)).length;
    const downloads = count('downloading');
    const questions = count('identifying', 'rendering');
    const states: VideoState[] = this.#options.run.paused() ? [...BEGINS_AN_ORDER] : [];
    if (downloads >= MOST_DOWNLOADS) states.push('downloading');
    if (questions >= MOST_QUESTIONS) states.push('identifying', 'rendering');
    const { damaged } = this.#options.hearing.ledger;
    return {
      at: Math.round(this.#options.now()),
      busy: [...this.#running.keys(), ...damaged],
      states,
      services: this.#throttle.paused(),
      claims: count('waiting'),
      limit: Math.max(1, Math.min(MOST_QUESTIONS - questions, MOST_DOWNLOADS - downloads)),
    };
  }

  async #beginDue(): Promise<void> {
    for (;;) {
      const jobs = await dueJobs(this.#options.hearing.ledger, this.#taken());
      if (jobs.length === 0 || this.#closing) return;
      for (const job of jobs) this.#begin(job);
    }
  }

  /** Whether another one could begin if it were due. */
  async #beginWaiting(): Promise<boolean> {
    const { hearing, run } = this.#options;
    const taken = this.#taken();
    const own = await countOwn(hearing.ledger);
    const limit = run.paused() ? 0 : run.settings().videosAtOnce - own - taken.claims;
    const jobs = await nextInTurn(hearing.ledger, { ...taken, limit });
    if (this.#closing) return false;
    for (const job of jobs) this.#begin(job);
    return limit > jobs.length;
  }

  async #plan(waiting: boolean): Promise<void> {
    const { hearing, now } = this.#options;
    const taken = this.#taken();
    const due = await nextDue(hearing.ledger, taken, waiting);
    const pauses = this.#throttle.next();
    if (this.#closing) return;
    const delays = [due === null ? null : due - now(), pauses].filter((delay) => delay !== null);
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (delays.length > 0) this.#setTimer(Math.max(0, Math.min(LOOK_MS, ...delays)));
  }

  /** What a person has stopped, here or in another process, and what would lead to an order while Gatehouse is paused. */
  async #leaveAbandoned(): Promise<void> {
    if (this.#options.run.paused()) this.#stop(({ state }) => BEGINS_AN_ORDER.has(state));
    const ids = [...this.#running.keys()];
    if (ids.length === 0) this.#begun.clear();
    if (ids.length === 0) return;
    const states = await statesOf(this.#options.hearing.ledger, ids);
    for (const [id, running] of this.#running) {
      const state = states.get(id);
      const stopped = state === undefined || state === 'cancelled' || state === 'timed-out';
      if (stopped && ids.includes(id) && !running.ordering) running.stop.abort();
    }
  }

  /** What is stopped may be begun again, for it costs nothing. */
  #stop(which: (running: Running) => boolean): void {
    for (const [id, running] of this.#running) {
      if (running.ordering || !which(running)) continue;
      running.stop.abort();
      this.#begun.delete(id);
    }
  }

  #begin(job: Job): void {
    const running: Running = { state: job.state, stop: new AbortController(), ordering: false };
    const stuck = this.#begun.get(job.id) === job.rev;
    this.#running.set(job.id, running);
    this.#begun.set(job.id, job.rev);
    const end = (stuck ? this.#slow(job) : this.#drive(job, running))
      .catch(async (error: unknown) => await this.#stumble(job, running, error))
      .finally(() => {
        this.#running.delete(job.id);
        this.#ends.delete(end);
        this.look();
      });
    this.#ends.add(end);
  }

  async #stumble(job: Job, { stop }: Running, error: unknown): Promise<void> {
    if (stop.signal.aborted) return;
    const { hearing, log } = this.#options;
    log('error', 'Acting for a video failed.', { id: job.id, reason: String(error) });
    try {
      await hearing.tell(job.id, { kind: 'stumbled', sentence: STUMBLED });
    } catch (again) {
      this.#rest(again);
    }
  }

  async #slow({ id }: Job): Promise<void> {
    await this.#options.hearing.tell(id, { kind: 'stumbled', sentence: STUCK });
  }

  async #drive(job: Job, running: Running): Promise<void> {
    const { hearing, run, now } = this.#options;
    if (job.plannedAt !== null && job.plannedAt > now()) {
      await hearing.tell(job.id, { kind: 'clock-back' });
      return;
    }
    const lent = await run.wireTo(job.service);
    if ('sentence' in lent) {
      await hearing.tell(job.id, { kind: 'blocked', sentence: lent.sentence });
      return;
    }
    try {
      await this.#act(job, running, { wire: lent.wire, signal: running.stop.signal });
    } finally {
      lent.release();
    }
  }

  async #act(job: Job, running: Running, way: Way): Promise<void> {
    const { state } = job;
    if (this.#closing || way.signal.aborted) return;
    if (state === 'waiting') await this.#order(await this.#acts.claim(job), running, way);
    if (state === 'uploading') await this.#order(await this.#acts.upload(job, way), running, way);
    if (state === 'identifying') await this.#acts.identify(job, way);
    if (state === 'rendering') await this.#acts.poll(job, way);
    if (state === 'downloading') await this.#acts.fetch(job, way);
  }

  /** Sends an order only where this very change has put it on the disk: nobody else sends that one. */
  async #order(changed: Changed | null, running: Running, { wire }: Way): Promise<void> {
    if (changed === null) return;
    const { before, after } = changed;
    if (after.state !== 'submitting' || after.orders !== before.orders + 1) return;
    running.ordering = true;
    try {
      await this.#acts.order(after, { wire, signal: this.#ending.signal }, this.#persist);
    } catch (error) {
      // What ends here without a word may have left.
      const what = { kind: 'lost', order: after.orders, sentence: STUMBLED_IN_ORDER } as const;
      await this.#options.hearing.tell(after.id, what);
      throw error;
    }
  }
}
