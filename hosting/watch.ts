import type { ContractRouterClient } from '@orpc/contract';
import type { Contract } from '../shared/contract.ts';
import type { UsageDay } from '../shared/history.ts';
import type { LiveEvent, Status } from '../shared/status.ts';
import type { VideoJob, VideoState } from '../shared/video.ts';

type Calls = ContractRouterClient<Contract>;

/** What a shell itself sees of its gateway, asked for as any window does. */
export interface Seen {
  readonly status: Status;
  readonly today: UsageDay | null;
  readonly videos: { readonly underWay: number; readonly forPerson: number };
  /** Exchanges on their way. */
  readonly running: number;
}

export interface WatchOptions {
  /** Called after every change; `null` while no engine answers. */
  readonly onSeen: (seen: Seen | null) => void;
  /** Called with the videos that came to an end, or need a person, since this began. */
  readonly onVideos: (jobs: readonly VideoJob[]) => void;
  readonly onTrouble: (error: unknown) => void;
}

/** After a look, and the longest without one: another day may have begun. Milliseconds. */
const PAUSES_MS = { least: 1_000, most: 10 * 60_000 } as const;
const UNDER_WAY = ['uploading', 'submitting', 'identifying', 'rendering', 'downloading'] as const;
const FOR_PERSON = ['unsure', 'needs-answer'] as const;
const NEWS: readonly VideoState[] = ['done', 'failed', 'timed-out', ...FOR_PERSON];
const MOST_VIDEOS = 100;

/** Follows an engine's events and asks again, not too often, for what a shell shows itself. */
export class Watch {
  readonly #options: WatchOptions;
  #calls: Calls | null = null;
  #seen: Seen | null = null;
  #running = 0;
  #newsSince = Date.now();
  #wanted = false;
  #resting = false;

  constructor(options: WatchOptions) {
    this.#options = options;
  }

  /** Follows one engine until it ends. */
  async follow(calls: Calls): Promise<void> {
    this.#calls = calls;
    const timer = setInterval(() => this.#want(), PAUSES_MS.most);
    try {
      for await (const event of await calls.status.events()) this.#hear(event);
    } catch {
      // It ended, and its process tells how.
    }
    clearInterval(timer);
    if (this.#calls !== calls) return;
    this.#calls = null;
    this.#running = 0;
    this.#show(null);
  }

  #hear(event: LiveEvent): void {
    if (event.kind !== 'running') return this.#want();
    this.#running = event.total;
    if (this.#seen !== null) this.#show({ ...this.#seen, running: event.total });
  }

  #want(): void {
    this.#wanted = true;
    this.#lookOrRest();
  }

  #lookOrRest(): void {
    const calls = this.#calls;
    if (this.#resting || !this.#wanted || calls === null) return;
    this.#resting = true;
    this.#wanted = false;
    const rested = (): void => {
      this.#resting = false;
      this.#lookOrRest();
    };
    this.#look(calls)
      .catch((error: unknown) => {
        if (this.#calls === calls) this.#options.onTrouble(error);
      })
      .finally(() => setTimeout(rested, PAUSES_MS.least));
  }

  async #look(calls: Calls): Promise<void> {
    const [status, days, videos] = await Promise.all([
      calls.status.get(),
      calls.home.days(),
      calls.videos.page({ filter: { states: [...NEWS] }, limit: MOST_VIDEOS }),
    ]);
    if (this.#calls !== calls) return;
    const count = (states: readonly VideoState[]): number =>
      states.reduce((sum, state) => sum + (videos.counts[state] ?? 0), 0);
    this.#show({
      status,
      today: days.at(-1) ?? null,
      videos: { underWay: count(UNDER_WAY), forPerson: count(FOR_PERSON) },
      running: this.#running,
    });
    this.#tellOf(videos.jobs);
  }

  #tellOf(jobs: readonly VideoJob[]): void {
    const fresh = jobs.filter(({ stateSince }) => stateSince > this.#newsSince);
    if (fresh.length === 0) return;
    this.#newsSince = Math.max(...fresh.map(({ stateSince }) => stateSince));
    this.#options.onVideos(fresh);
  }

  #show(seen: Seen | null): void {
    this.#seen = seen;
    this.#options.onSeen(seen);
  }
}
