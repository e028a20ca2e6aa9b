import { askedSuspects, askFailed, fetched, fetchFailed, polled } from './asking.ts';
import {
  answered,
  cancelled,
  confirmed,
  described,
  explained,
  extended,
  fetchAgain,
  giveId,
  pickedReason,
  submitAgain,
} from './deciding.ts';
import type { VideoEvent } from './event.ts';
import { type Job, UNDER_WAY } from './job.ts';
import {
  accepted,
  becomeUnsure,
  claimed,
  lost,
  notOrdered,
  refused,
  uploaded,
  uploadFailed,
  uploadRefused,
  uploadUnclear,
} from './ordering.ts';
import { PACE, retryDelay, type VideoPace } from './pace.ts';

/** What a job becomes by an event; the same job when the event changes nothing. Nothing else changes a state. */
export function step(job: Job, event: VideoEvent, pace: VideoPace = PACE): Job {
  const here = inTime(job, event.at);
  const next = transition(here, event, pace);
  if (next === here) return job;
  const known = next.charged === 'yes' || job.charged === 'yes' ? 'yes' : next.charged;
  return { ...next, charged: known, plannedAt: event.at };
}

/** Smaller steps of the clock are not worth a thought. */
const MUCH_BACK_MS = 60_000;

/** When the clock was set back, the end of the asking lies too far ahead. */
function inTime(job: Job, at: number): Job {
  const isBack = (job.plannedAt ?? 0) > at + MUCH_BACK_MS;
  return isBack ? { ...job, asksUntil: notLater(job, at) } : job;
}

/** The end of the asking as it would be for a wait that begins now, or earlier. */
function notLater({ asksUntil, waitMinutes }: Job, at: number): number | null {
  return asksUntil === null ? null : Math.min(asksUntil, at + waitMinutes * 60_000);
}

function transition(job: Job, event: VideoEvent, pace: VideoPace): Job {
  switch (event.kind) {
    case 'described':
      return described(job, event);
    case 'confirm':
      return confirmed(job, event);
    case 'submit-again':
      return submitAgain(job, event);
    case 'give-id':
      return giveId(job, event);
    case 'answer':
      return answered(job, event);
    case 'explain':
      return explained(job, event);
    case 'pick-reason':
      return pickedReason(job, event);
    case 'extend':
      return extended(job, event);
    case 'fetch-again':
      return fetchAgain(job, event);
    case 'cancel':
      return cancelled(job, event);
    case 'claimed':
      return claimed(job, event);
    case 'uploaded':
      return uploaded(job, event);
    case 'upload-failed':
      return uploadFailed(job, event, pace);
    case 'upload-refused':
      return uploadRefused(job, event);
    case 'upload-unclear':
      return uploadUnclear(job, event);
    case 'accepted':
      return accepted(job, event, pace);
    case 'not-ordered':
      return notOrdered(job, event, pace);
    case 'refused':
      return refused(job, event);
    case 'lost':
      return lost(job, event);
    case 'asked-suspects':
      return askedSuspects(job, event, pace);
    case 'polled':
      return polled(job, event, pace);
    case 'ask-failed':
      return askFailed(job, event, pace);
    case 'fetched':
      return fetched(job, event);
    case 'fetch-failed':
      return fetchFailed(job, event, pace);
    case 'found':
    case 'clock-back':
    case 'blocked':
    case 'unblocked':
    case 'stumbled':
      return befallen(job, event, pace);
  }
}

type Befalling = Extract<
  VideoEvent,
  { readonly kind: 'found' | 'clock-back' | 'blocked' | 'unblocked' | 'stumbled' }
>;

const INTERRUPTED =
  'Gatehouse ended while the order was on its way, so nobody knows whether it arrived.';

function befallen(job: Job, event: Befalling, pace: VideoPace): Job {
  const { at, chance } = event;
  if (event.kind === 'found' && job.state === 'submitting') {
    return becomeUnsure(job, at, INTERRUPTED);
  }
  const acts = job.state === 'waiting' || UNDER_WAY.includes(job.state);
  if (!acts || job.state === 'submitting') return job;
  const soon = at + Math.ceil(chance * pace.retryMs);
  switch (event.kind) {
    case 'found':
      return job.state === 'waiting' ? job : { ...job, dueAt: soon };
    case 'clock-back':
      return { ...job, dueAt: soon, asksUntil: notLater(job, at) };
    case 'blocked':
      return { ...job, problem: event.sentence, dueAt: at + pace.blockedMs };
    case 'unblocked':
      return job.problem === null ? job : { ...job, dueAt: at };
    case 'stumbled': {
      const dueAt = at + retryDelay({ tries: job.tries, chance, retryAfterMs: null }, pace);
      return { ...job, tries: job.tries + 1, problem: event.sentence, dueAt };
    }
  }
}
