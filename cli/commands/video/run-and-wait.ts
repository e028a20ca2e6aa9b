import type { VideoId, VideoJob } from '../../../shared/video/video.ts';
import { QueueHost, type QueueHostOptions } from '../../queue-host.ts';
import { pluralize } from '../../../shared/format.ts';
import { showNotification } from '../../process/desktop-notification.ts';
import type { CommandContext } from '../../command-context.ts';
import { listenForSignals } from '../../process/signals.ts';
import { waitForVideos } from './wait.ts';
import { shortId, isActive, singleLine, STATE_LABELS } from '../../output/format-video.ts';

/** Timeout for the response to an order that is being sent, after the first Ctrl-C. */
const DRAIN_TIMEOUT_MS = 60_000;

/** The result of waiting. */
export interface WaitResult {
  readonly jobs: readonly VideoJob[];
  /** After an interruption by a person: the command that returns to running jobs. */
  readonly stopped: string | null;
}

/**
 * Makes sure that the jobs run, waits for them and shows their progress. `begin` returns them once they run. Ctrl-C ends the waiting,
 * never a job.
 */
export async function runAndWait(
  options: QueueHostOptions,
  begin: () => Promise<readonly VideoId[]>,
): Promise<WaitResult> {
  const { context, repositories } = options;
  const queueHost = new QueueHost(options);
  const { signal, onSecondSignal } = listenForSignals(context.terminal, () => queueHost.release());
  onSecondSignal(async () => await queueHost.close(0));
  try {
    await queueHost.ensureRunning();
    const ids = await begin();
    const { videos } = repositories;
    const jobs = await waitForVideos({ context, videos, ids, queueHost, signal });
    if (jobs.some(isActive)) {
      return { jobs, stopped: describeStop(jobs, queueHost, context) };
    }
    await notifyPerson(context, jobs);
    return { jobs, stopped: null };
  } finally {
    await queueHost.close(DRAIN_TIMEOUT_MS);
  }
}

function describeStop(
  jobs: readonly VideoJob[],
  { owner }: QueueHost,
  { terminal, command }: CommandContext,
): string {
  if (owner === null && jobs.some(({ state }) => state === 'submitting')) {
    terminal.printError(
      `An order is being sent: waiting up to ${DRAIN_TIMEOUT_MS / 1_000} s for its response. Ctrl-C again stops immediately and leaves its outcome unknown.`,
    );
  }
  const open = jobs.filter(isActive);
  const it = open.length === 1 ? 'the video' : 'the videos';
  const ids = open.length === jobs.length && open.length > 3 ? [] : open.map(shortId);
  return [
    owner === null
      ? `Stopped. Nothing is lost, but ${it} ${open.length === 1 ? 'is' : 'are'} not polled until Gatehouse runs again. To continue:`
      : `Stopped waiting. Gatehouse (pid ${owner.pid}) continues with ${it}. To watch again:`,
    `  ${[command, 'video', 'watch', ...ids].join(' ')}`,
  ].join('\n');
}

async function notifyPerson(
  { terminal, environment }: CommandContext,
  jobs: readonly VideoJob[],
): Promise<void> {
  terminal.ringBell();
  const [first] = jobs;
  if (first === undefined) return;
  const done = jobs.filter(({ state }) => state === 'done').length;
  await showNotification(
    jobs.length === 1
      ? {
          title: `Video ${STATE_LABELS[first.state]}`,
          text: singleLine(first.request.prompt ?? shortId(first)).slice(0, 200),
        }
      : { title: 'Gatehouse', text: `${done} of ${pluralize(jobs.length, 'video')} done` },
    environment,
  );
}
