import type { ContractRouterClient } from '@orpc/contract';
import type { Contract } from '../../shared/contract.ts';
import type { UsageDay } from '../../shared/history/history.ts';
import { findLimitStep, LimitSteps, type LimitStep } from '../../shared/money/limit-step.ts';
import type { LimitState } from '../../shared/money/limit.ts';
import type { LiveEvent, Status } from '../../shared/status.ts';
import { ACTIVE_VIDEO_STATES, PERSON_VIDEO_STATES } from '../../shared/video/video-states.ts';
import type { VideoJob, VideoState } from '../../shared/video/video.ts';

type Calls = ContractRouterClient<Contract>;

/** The facts about the gateway that a shell shows, requested like any window does. */
export interface GatewaySnapshot {
  readonly status: Status;
  readonly today: UsageDay | null;
  /** ISO 4217 code of the currency of costs. */
  readonly currency: string;
  readonly videos: { readonly active: number; readonly waitingForPerson: number };
  /** Limits of which 80, 95 or 100 percent are used. */
  readonly limits: readonly LimitStep[];
  /** Those that were reached since the snapshot before; none in the first. */
  readonly reachedLimits: readonly LimitStep[];
  /** Exchanges in flight. */
  readonly running: number;
}

export interface GatewayMonitorOptions {
  /** Is called after every change; `null` while no engine answers. */
  readonly onSnapshot: (snapshot: GatewaySnapshot | null) => void;
  /** Is called with the videos that finished or need a person since this started. */
  readonly onVideos: (jobs: readonly VideoJob[]) => void;
  readonly onError: (error: unknown) => void;
}

/** Minimum and maximum pause between two refreshes in milliseconds. The maximum is for the change of the day. */
const INTERVAL_MS = { min: 1_000, max: 10 * 60_000 } as const;
const REPORTED_STATES: readonly VideoState[] = [
  'done',
  'failed',
  'timed-out',
  ...PERSON_VIDEO_STATES,
];
const MAX_VIDEOS = 100;

/** Follows an engine's events and refreshes the facts that a shell shows, not too often. */
export class GatewayMonitor {
  readonly #options: GatewayMonitorOptions;
  #calls: Calls | null = null;
  #snapshot: GatewaySnapshot | null = null;
  #running = 0;
  readonly #limitSteps = new LimitSteps();
  #hasLimits = false;
  #notifiedSince = Date.now();
  #isRequested = false;
  #isWaiting = false;

  constructor(options: GatewayMonitorOptions) {
    this.#options = options;
  }

  /** Follows one engine until it ends. */
  async follow(calls: Calls): Promise<void> {
    this.#calls = calls;
    const timer = setInterval(() => this.#request(), INTERVAL_MS.max);
    try {
      for await (const event of await calls.status.events()) this.#onEvent(event);
    } catch {
      // The engine ended, and its process reports how.
    }
    clearInterval(timer);
    if (this.#calls !== calls) return;
    this.#calls = null;
    this.#running = 0;
    this.#publish(null);
  }

  #onEvent(event: LiveEvent): void {
    if (event.kind !== 'running') return this.#request();
    this.#running = event.total;
    const snapshot = this.#snapshot;
    if (snapshot !== null) {
      this.#publish({ ...snapshot, reachedLimits: [], running: event.total });
    }
  }

  #request(): void {
    this.#isRequested = true;
    this.#refreshOrWait();
  }

  #refreshOrWait(): void {
    const calls = this.#calls;
    if (this.#isWaiting || !this.#isRequested || calls === null) return;
    this.#isWaiting = true;
    this.#isRequested = false;
    const rested = (): void => {
      this.#isWaiting = false;
      this.#refreshOrWait();
    };
    this.#refresh(calls)
      .catch((error: unknown) => {
        if (this.#calls === calls) this.#options.onError(error);
      })
      .finally(() => setTimeout(rested, INTERVAL_MS.min));
  }

  async #refresh(calls: Calls): Promise<void> {
    const [status, days, videos, { settings }, limits] = await Promise.all([
      calls.status.get(),
      calls.home.days(),
      calls.videos.page({ filter: { states: [...REPORTED_STATES] }, limit: MAX_VIDEOS }),
      calls.settings.get(),
      calls.clients.limits.list(),
    ]);
    if (this.#calls !== calls) return;
    const count = (states: readonly VideoState[]): number =>
      states.reduce((sum, state) => sum + (videos.counts[state] ?? 0), 0);
    this.#publish({
      status,
      today: days.at(-1) ?? null,
      currency: settings.currency,
      videos: { active: count(ACTIVE_VIDEO_STATES), waitingForPerson: count(PERSON_VIDEO_STATES) },
      limits: limits.flatMap((limit) => findLimitStep(limit) ?? []),
      reachedLimits: this.#findReached(limits),
      running: this.#running,
    });
    this.#reportVideos(videos.jobs);
  }

  /** The shares of the first limits are no news. */
  #findReached(limits: readonly LimitState[]): readonly LimitStep[] {
    const reached = this.#limitSteps.update(limits);
    const isFirst = !this.#hasLimits;
    this.#hasLimits = true;
    return isFirst ? [] : reached;
  }

  #reportVideos(jobs: readonly VideoJob[]): void {
    const recent = jobs.filter(({ stateSince }) => stateSince > this.#notifiedSince);
    if (recent.length === 0) return;
    this.#notifiedSince = Math.max(...recent.map(({ stateSince }) => stateSince));
    this.#options.onVideos(recent);
  }

  #publish(snapshot: GatewaySnapshot | null): void {
    this.#snapshot = snapshot;
    this.#options.onSnapshot(snapshot);
  }
}
