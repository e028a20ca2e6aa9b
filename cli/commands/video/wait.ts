import cliTruncate from 'cli-truncate';
import type { VideoDetail, VideoId, VideoJob } from '../../../shared/video/video.ts';
import type { Videos } from '../../../gateway/videos/videos.ts';
import type { QueueHost } from '../../queue-host.ts';
import { formatProgress } from './progress.ts';
import { escapeControls } from '../../output/format.ts';
import {
  formatChange,
  shortId,
  isActive,
  describeNewWord,
  describePause,
} from '../../output/format-video.ts';
import type { CommandContext } from '../../command-context.ts';

export interface WaitOptions {
  readonly context: CommandContext;
  readonly videos: Videos;
  readonly ids: readonly VideoId[];
  readonly queueHost: QueueHost;
  /** Ends the waiting, never a job. */
  readonly signal: AbortSignal;
}

/** Interval for redrawing the progress and for checking who runs the jobs. */
const TICK_MS = 1_000;

/**
 * Waits until all jobs have ended or need a person, and shows their progress meanwhile. Resolves with their last state. @throws
 * NotFoundError when one is removed
 */
export async function waitForVideos(options: WaitOptions): Promise<readonly VideoJob[]> {
  const { videos, ids, queueHost, signal } = options;
  const wakeSignal = new WakeSignal();
  const printer = new ProgressPrinter(options.context);
  const ring = () => wakeSignal.notify(false);
  const stopListening = videos.on(() => wakeSignal.notify(true));
  const ticking = setInterval(ring, TICK_MS);
  signal.addEventListener('abort', ring);
  try {
    for (;;) {
      const changed = await wakeSignal.wait();
      const jobs = changed ? await readJobs(videos, ids) : printer.printed;
      const open = jobs.some(isActive);
      printer.print(jobs, describePause(await queueHost.isPaused(), options.context.command));
      if (!open || signal.aborted) return jobs;
      await queueHost.ensureRunning();
    }
  } finally {
    signal.removeEventListener('abort', ring);
    clearInterval(ticking);
    stopListening();
  }
}

async function readJobs(videos: Videos, ids: readonly VideoId[]): Promise<readonly VideoJob[]> {
  const details = await Promise.all(
    ids.map(async (id): Promise<VideoDetail> => await videos.get(id)),
  );
  return details.map(({ job }) => job);
}

/** A bell that remembers a ring until somebody waits for it. The first wait resolves at once. */
class WakeSignal {
  #changed = true;
  #isPending = true;
  #wake: (() => void) | null = null;

  notify(changed: boolean): void {
    this.#changed ||= changed;
    this.#isPending = true;
    this.#wake?.();
  }

  /** Whether something may have changed since the last call. */
  async wait(): Promise<boolean> {
    if (!this.#isPending) await new Promise<void>((resolve) => (this.#wake = resolve));
    const changed = this.#changed;
    this.#changed = false;
    this.#isPending = false;
    return changed;
  }
}

/** A status word that is unchanged for this long may be a final one that nobody has explained. */
const NEW_WORD_MS = 60_000;

/** Shows the progress of jobs: on a terminal one line that is redrawn, elsewhere a line for every change. */
class ProgressPrinter {
  readonly #context: CommandContext;
  readonly #lastLines = new Map<string, string>();
  /** When each job got its present status word. */
  readonly #statusWords = new Map<string, { readonly word: string; readonly since: number }>();
  #printed: readonly VideoJob[] = [];

  constructor(context: CommandContext) {
    this.#context = context;
  }

  get printed(): readonly VideoJob[] {
    return this.#printed;
  }

  /** `pause`: why nothing is ordered now. */
  print(jobs: readonly VideoJob[], pause: string | null): void {
    const { terminal, now } = this.#context;
    this.#printed = jobs;
    for (const job of jobs.filter(isActive)) {
      this.#printChange(job, pause);
      this.#printNewWord(job);
    }
    if (terminal.canRedraw && jobs.some(isActive)) {
      const line = escapeControls(formatProgress(jobs, now(), pause));
      terminal.redraw((columns) => cliTruncate(line, columns));
    }
  }

  #printChange(job: VideoJob, pause: string | null): void {
    const { terminal } = this.#context;
    const line = `${shortId(job)} ${formatChange(job, pause)}`;
    if (terminal.canRedraw || this.#lastLines.get(job.id) === line) return;
    this.#lastLines.set(job.id, line);
    terminal.printError(line);
  }

  /** Is shown once for each word. */
  #printNewWord(job: VideoJob): void {
    const { terminal, command, now } = this.#context;
    const { id, word, wordIsNew } = job;
    if (!wordIsNew || word === null) return;
    const known = this.#statusWords.get(id);
    if (known?.word !== word) {
      this.#statusWords.set(id, { word, since: now() });
    } else if (now() - known.since > NEW_WORD_MS) {
      this.#statusWords.set(id, { word, since: Infinity });
      terminal.printError(describeNewWord(job, command));
    }
  }
}
