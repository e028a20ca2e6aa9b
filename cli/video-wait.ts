import type { VideoDetail, VideoId, VideoJob } from '../shared/video.ts';
import type { Videos } from '../gateway/videos/videos.ts';
import type { Attendance } from './attendance.ts';
import { progressLine } from './video-progress.ts';
import { changeWords, headOf, isUnderWay, wordHint } from './video-words.ts';
import type { Shell } from './shell.ts';

export interface WaitPlan {
  readonly shell: Shell;
  readonly videos: Videos;
  readonly ids: readonly VideoId[];
  readonly attendance: Attendance;
  /** Ends the waiting, never a job. */
  readonly stop: AbortSignal;
}

/** How often what was drawn is drawn again, and looked who runs the jobs. */
const TICK_MS = 1_000;

/** Waits until none of the jobs goes on by itself, and shows meanwhile how far they are. Resolves with them as they are then. @throws NotFound when one is removed */
export async function waitForVideos(plan: WaitPlan): Promise<readonly VideoJob[]> {
  const { videos, ids, attendance, stop } = plan;
  const alarm = new Alarm();
  const narrator = new Narrator(plan.shell);
  const ring = () => alarm.ring(false);
  const unheard = videos.on(() => alarm.ring(true));
  const ticking = setInterval(ring, TICK_MS);
  stop.addEventListener('abort', ring);
  try {
    for (;;) {
      const changed = await alarm.heard();
      const jobs = changed ? await readJobs(videos, ids) : narrator.told;
      const open = jobs.some(isUnderWay);
      narrator.tell(jobs);
      if (!open || stop.aborted) return jobs;
      await attendance.keep();
    }
  } finally {
    stop.removeEventListener('abort', ring);
    clearInterval(ticking);
    unheard();
  }
}

async function readJobs(videos: Videos, ids: readonly VideoId[]): Promise<readonly VideoJob[]> {
  const details = await Promise.all(
    ids.map(async (id): Promise<VideoDetail> => await videos.get(id)),
  );
  return details.map(({ job }) => job);
}

/** Remembers that it rang until somebody listens. The first time nobody has to wait. */
class Alarm {
  #changed = true;
  #rang = true;
  #wake: (() => void) | null = null;

  ring(changed: boolean): void {
    this.#changed ||= changed;
    this.#rang = true;
    this.#wake?.();
  }

  /** Whether something may have changed since the last time. */
  async heard(): Promise<boolean> {
    if (!this.#rang) await new Promise<void>((resolve) => (this.#wake = resolve));
    const changed = this.#changed;
    this.#changed = false;
    this.#rang = false;
    return changed;
  }
}

/** A word that stands for so long may be the end of a job that nobody understands. */
const WORD_MS = 60_000;

/** Tells how far jobs are: on a screen one line that is drawn again, elsewhere a line for every change. */
class Narrator {
  readonly #shell: Shell;
  readonly #said = new Map<string, string>();
  /** Since when each job has had its word. */
  readonly #words = new Map<string, { readonly word: string; readonly since: number }>();
  #told: readonly VideoJob[] = [];

  constructor(shell: Shell) {
    this.#shell = shell;
  }

  get told(): readonly VideoJob[] {
    return this.#told;
  }

  tell(jobs: readonly VideoJob[]): void {
    const { terminal, now } = this.#shell;
    this.#told = jobs;
    for (const job of jobs.filter(isUnderWay)) {
      this.#tellChange(job);
      this.#tellWord(job);
    }
    if (terminal.redraws && jobs.some(isUnderWay)) terminal.redraw(progressLine(jobs, now()));
  }

  #tellChange(job: VideoJob): void {
    const { terminal } = this.#shell;
    const words = `${headOf(job)} ${changeWords(job)}`;
    if (terminal.redraws || this.#said.get(job.id) === words) return;
    this.#said.set(job.id, words);
    terminal.complain(words);
  }

  /** Once for each word. */
  #tellWord(job: VideoJob): void {
    const { terminal, command, now } = this.#shell;
    const { id, word, wordIsNew } = job;
    if (!wordIsNew || word === null) return;
    const known = this.#words.get(id);
    if (known?.word !== word) {
      this.#words.set(id, { word, since: now() });
    } else if (now() - known.since > WORD_MS) {
      this.#words.set(id, { word, since: Infinity });
      terminal.complain(wordHint(job, command));
    }
  }
}
