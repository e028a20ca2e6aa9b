import { startPolling, enterState, stopPolling } from './enter-state.ts';
import type { VideoEventOf } from './event.ts';
import type { Job, TaskIdCandidate } from './job.ts';
import { toCandidates } from './submission.ts';
import { toPollDelay, toRetryDelay, type VideoTiming } from './timing.ts';

/** Number of rounds in which all candidates must be refused, because a service may not know a new task at once. */
const ROUNDS = 3;
/** Number of failures after the deadline before polling stops without an answer. */
const MAX_LATE_FAILURES = 6;
const MAX_FETCHES = 12;
const MAX_INVALID_DOWNLOADS = 3;
/** An expired address is requested again at once so many times. */
const AT_ONCE = 3;

export function onIdsProbed(
  job: Job,
  event: VideoEventOf<'candidates-polled'>,
  timing: VideoTiming,
): Job {
  if (job.state !== 'identifying') return job;
  const { at, suspects } = event;
  const found = suspects.filter(({ verdict }) => verdict === 'accepted');
  const next = { ...job, askedAt: at, suspects, problem: event.problem };
  if (suspects.some(({ verdict }) => verdict === 'unasked')) return pollAgain(next, event, timing);
  const [only] = found;
  if (only !== undefined && found.length === 1) {
    return startPolling(next, at, { taskId: only.value });
  }
  if (found.length > 1 || job.rounds + 1 >= ROUNDS) {
    const offered = toCandidates(found.length > 1 ? found : suspects);
    const question = job.question && { ...job.question, candidates: offered };
    return enterState(next, 'needs-answer', { at, question });
  }
  return pollAgain(
    { ...next, rounds: job.rounds + 1, suspects: suspects.map(toUnasked), tries: 0 },
    event,
    timing,
  );
}

function toUnasked(suspect: TaskIdCandidate): TaskIdCandidate {
  return { ...suspect, verdict: 'unasked' };
}

function pollAgain(
  job: Job,
  { at, jitter }: VideoEventOf<'candidates-polled'>,
  timing: VideoTiming,
): Job {
  if (isPastDeadline(job, at)) return stopPolling(job, at, 'identifying');
  const { tries } = job;
  const dueAt = at + toPollDelay({ tries, jitter, retryAfterMs: null }, timing);
  return { ...job, tries: tries + 1, dueAt };
}

function isPastDeadline({ asksUntil }: Job, at: number): boolean {
  return asksUntil !== null && at >= asksUntil;
}

/** Applies a status of the task, from a poll of ours or of a client. */
export function onPolled(job: Job, event: VideoEventOf<'polled'>, timing: VideoTiming): Job {
  if (event.taskId !== job.taskId) return job;
  const { at, jitter, word, cost, progress, progressAt } = event;
  // A known task proves that the order was taken.
  const known = { charged: 'yes', word, cost: cost ?? job.cost, askedAt: at } as const;
  if (job.state === 'cancelled') return { ...job, ...known };
  const waits = job.state === 'timed-out' && job.stage === 'rendering';
  if (job.state !== 'rendering' && !waits) return job;
  if (event.meaning === 'completed') return toCompleted({ ...job, ...known }, event);
  if (event.meaning === 'failed') {
    const { reason, reasons } = event;
    return enterState(job, 'failed', { at, ...known, reason, reasons });
  }
  if (waits) return { ...job, ...known };
  if (isPastDeadline(job, at))
    return stopPolling({ ...job, ...known, problem: null }, at, 'rendering');
  const dueAt = at + toPollDelay({ tries: 0, jitter, retryAfterMs: null }, timing);
  const reset = { tries: 0, late: 0, problem: null };
  return { ...job, ...known, ...reset, progress, progressAt, dueAt };
}

function toCompleted(job: Job, { at, fetches }: VideoEventOf<'polled'>): Job {
  if (!fetches) return enterState(job, 'done', { at });
  return enterState(job, 'downloading', { at, duds: 0, dueAt: at });
}

/** Handles a failed poll, which says nothing about the render (spec section 3, rule 3). */
export function onPollFailed(
  job: Job,
  event: VideoEventOf<'poll-failed'>,
  timing: VideoTiming,
): Job {
  if (job.state !== 'rendering' || event.taskId !== job.taskId) return job;
  const { at, sentence } = event;
  const late = isPastDeadline(job, at) ? job.late + 1 : 0;
  const next = { ...job, askedAt: at, problem: sentence, late };
  if (late >= MAX_LATE_FAILURES) return stopPolling(next, at, 'rendering');
  const tries = job.tries + 1;
  return { ...next, tries, dueAt: at + toPollDelay({ ...event, tries }, timing) };
}

export function onDownloaded(job: Job, { at, taskId, file }: VideoEventOf<'downloaded'>): Job {
  return job.state === 'downloading' && job.taskId === taskId
    ? enterState(job, 'done', { at, file, stage: null })
    : job;
}

/** Handles a failed download. It never fails for good, because the video is paid and exists. */
export function onDownloadFailed(
  job: Job,
  event: VideoEventOf<'download-failed'>,
  timing: VideoTiming,
): Job {
  if (job.state !== 'downloading' || event.taskId !== job.taskId) return job;
  const { at, how, sentence } = event;
  const tries = job.tries + 1;
  const duds = how === 'not-a-video' ? job.duds + 1 : job.duds;
  const next = { ...job, tries, duds, problem: sentence, progress: null };
  if (tries >= MAX_FETCHES || duds >= MAX_INVALID_DOWNLOADS)
    return stopPolling(next, at, 'downloading');
  const atOnce = how === 'address-expired' && tries <= AT_ONCE;
  const delay = atOnce ? 0 : toRetryDelay({ ...event, tries: job.tries }, timing);
  return { ...next, dueAt: at + delay };
}
