import { onIdsProbed, onPollFailed, onDownloaded, onDownloadFailed, onPolled } from './polling.ts';
import {
  onAnswered,
  onCancelled,
  onConfirmed,
  onDescribed,
  onExplained,
  onExtended,
  onFetchAgain,
  onIdGiven,
  onReasonPicked,
  onSubmitAgain,
} from './decision.ts';
import type { VideoEvent } from './event.ts';
import { type Job } from './job.ts';
import { RUNNING_VIDEO_STATES } from '../../../shared/video/video-states.ts';
import {
  onAccepted,
  becomeUnsure,
  onClaimed,
  onLost,
  onNotOrdered,
  onRefused,
  onSent,
  onUploaded,
  onUploadFailed,
  onUploadRefused,
  onUploadUnclear,
} from './submission.ts';
import { DEFAULT_TIMING, toRetryDelay, type VideoTiming } from './timing.ts';

/** Returns the job after an event; the same object when the event changes nothing. Nothing else changes a state. */
export function transition(job: Job, event: VideoEvent, timing: VideoTiming = DEFAULT_TIMING): Job {
  const here = clampDeadlineToClock(job, event.at);
  const next = applyEvent(here, event, timing);
  if (next === here) return job;
  const known = next.charged === 'yes' || job.charged === 'yes' ? 'yes' : next.charged;
  return { ...next, charged: known, plannedAt: event.at };
}

/** Smaller steps of the clock are ignored. */
const CLOCK_SETBACK_MS = 60_000;

/** Moves the deadline of polling back when the clock was set back. */
function clampDeadlineToClock(job: Job, at: number): Job {
  const isBack = (job.plannedAt ?? 0) > at + CLOCK_SETBACK_MS;
  return isBack ? { ...job, asksUntil: toClampedDeadline(job, at) } : job;
}

/** Limits a deadline to that of a wait that begins now. */
function toClampedDeadline({ asksUntil, waitMinutes }: Job, at: number): number | null {
  return asksUntil === null ? null : Math.min(asksUntil, at + waitMinutes * 60_000);
}

function applyEvent(job: Job, event: VideoEvent, timing: VideoTiming): Job {
  switch (event.kind) {
    case 'described':
      return onDescribed(job, event);
    case 'confirm':
      return onConfirmed(job, event);
    case 'submit-again':
      return onSubmitAgain(job, event);
    case 'give-id':
      return onIdGiven(job, event);
    case 'answer':
      return onAnswered(job, event);
    case 'explain':
      return onExplained(job, event);
    case 'pick-reason':
      return onReasonPicked(job, event);
    case 'extend':
      return onExtended(job, event);
    case 'fetch-again':
      return onFetchAgain(job, event);
    case 'cancel':
      return onCancelled(job, event);
    case 'claimed':
      return onClaimed(job, event);
    case 'sent':
      return onSent(job, event);
    case 'uploaded':
      return onUploaded(job, event);
    case 'upload-failed':
      return onUploadFailed(job, event, timing);
    case 'upload-refused':
      return onUploadRefused(job, event);
    case 'upload-unclear':
      return onUploadUnclear(job, event);
    case 'accepted':
      return onAccepted(job, event, timing);
    case 'not-ordered':
      return onNotOrdered(job, event, timing);
    case 'refused':
      return onRefused(job, event);
    case 'lost':
      return onLost(job, event);
    case 'candidates-polled':
      return onIdsProbed(job, event, timing);
    case 'polled':
      return onPolled(job, event, timing);
    case 'poll-failed':
      return onPollFailed(job, event, timing);
    case 'downloaded':
      return onDownloaded(job, event);
    case 'download-failed':
      return onDownloadFailed(job, event, timing);
    case 'engine-started':
    case 'clock-set-back':
    case 'blocked':
    case 'unblocked':
    case 'internal-error':
      return onSystemEvent(job, event, timing);
  }
}

type SystemEventOf = Extract<
  VideoEvent,
  {
    readonly kind: 'engine-started' | 'clock-set-back' | 'blocked' | 'unblocked' | 'internal-error';
  }
>;

const INTERRUPTED =
  'Gatehouse stopped while the order was being sent, so it is unknown whether it arrived.';

function onSystemEvent(job: Job, event: SystemEventOf, timing: VideoTiming): Job {
  const { at, jitter } = event;
  if (event.kind === 'engine-started' && job.state === 'submitting') {
    return becomeUnsure(job, at, INTERRUPTED);
  }
  const acts = RUNNING_VIDEO_STATES.includes(job.state);
  if (!acts || job.state === 'submitting') return job;
  const soon = at + Math.ceil(jitter * timing.retryMs);
  switch (event.kind) {
    case 'engine-started':
      return job.state === 'waiting' ? job : { ...job, dueAt: soon };
    case 'clock-set-back':
      return { ...job, dueAt: soon, asksUntil: toClampedDeadline(job, at) };
    case 'blocked':
      return { ...job, problem: event.sentence, dueAt: at + timing.blockedMs };
    case 'unblocked':
      return job.problem === null ? job : { ...job, dueAt: at };
    case 'internal-error': {
      const dueAt = at + toRetryDelay({ tries: job.tries, jitter, retryAfterMs: null }, timing);
      return { ...job, tries: job.tries + 1, problem: event.sentence, dueAt };
    }
  }
}
