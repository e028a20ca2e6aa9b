import { startPolling, enterState } from './enter-state.ts';
import type { VideoEventOf } from './event.ts';
import type { Job } from './job.ts';

import { toPollDelay, toRetryDelay, type VideoTiming } from './timing.ts';

/** Takes a job out of the queue. */
export function onClaimed(job: Job, { at, upload }: VideoEventOf<'claimed'>): Job {
  if (job.state !== 'waiting') return job;
  const ready = upload === null ? job.upload : { url: upload, reused: true };
  if (job.image !== null && ready === null) return enterState(job, 'uploading', { at, dueAt: at });
  return submit(job, at, ready);
}

/** Keeps which exchange sends an order, so that the history leads to its video. */
export function onSent(job: Job, { order, exchangeId }: VideoEventOf<'sent'>): Job {
  return job.state === 'submitting' && order === job.orders ? { ...job, exchangeId } : job;
}

export function onUploaded(job: Job, { at, url }: VideoEventOf<'uploaded'>): Job {
  return job.state === 'uploading' ? submit(job, at, { url, reused: false }) : job;
}

function submit(job: Job, at: number, upload: Job['upload']): Job {
  return enterState(job, 'submitting', {
    at,
    upload,
    body: composeBody(job.request, upload?.url ?? null),
    orders: job.orders + 1,
    orderedAt: at,
  });
}

export function onUploadFailed(
  job: Job,
  event: VideoEventOf<'upload-failed'>,
  timing: VideoTiming,
): Job {
  if (job.state !== 'uploading') return job;
  const dueAt = event.at + toRetryDelay({ ...event, tries: job.tries }, timing);
  return { ...job, tries: job.tries + 1, problem: event.sentence, dueAt };
}

export function onUploadRefused(job: Job, event: VideoEventOf<'upload-refused'>): Job {
  if (job.state !== 'uploading') return job;
  return enterState(job, 'failed', { at: event.at, reason: event.sentence });
}

export function onUploadUnclear(job: Job, event: VideoEventOf<'upload-unclear'>): Job {
  if (job.state !== 'uploading') return job;
  return enterState(job, 'needs-answer', { at: event.at, question: event.question });
}

/** Applies an accepted order, also when its answer comes after the order was given up as lost. */
export function onAccepted(job: Job, event: VideoEventOf<'accepted'>, timing: VideoTiming): Job {
  const { at, taskId, suspects, answer } = event;
  if (event.order !== job.orders) return job;
  const question = { about: 'task-id', answer, candidates: toCandidates(suspects) } as const;
  const known = { charged: 'yes', suspects, question, upload: null } as const;
  if (job.state === 'cancelled') {
    return { ...job, ...known, taskId, stage: taskId === null ? 'identifying' : 'rendering' };
  }
  if (job.state !== 'submitting' && job.state !== 'unsure') return job;
  if (taskId !== null) {
    const dueAt = at + toPollDelay({ tries: 0, jitter: event.jitter, retryAfterMs: null }, timing);
    return startPolling(job, at, { taskId, charged: 'yes', upload: null, dueAt });
  }
  if (suspects.length === 0) return enterState(job, 'needs-answer', { at, ...known });
  const asksUntil = at + job.waitMinutes * 60_000;
  return enterState(job, 'identifying', { at, ...known, rounds: 0, asksUntil, dueAt: at });
}

/** Converts the candidates to those that a person can pick. */
export function toCandidates(suspects: Job['suspects']) {
  return suspects.map(({ pointer, value }) => ({ pointer, value }));
}

/** Handles an order that was certainly not taken, so that it may be sent again. A client sends its own again itself. */
export function onNotOrdered(
  job: Job,
  event: VideoEventOf<'not-ordered'>,
  timing: VideoTiming,
): Job {
  if (job.state !== 'submitting' || event.order !== job.orders) return job;
  const { at, sentence } = event;
  if (job.origin === 'client') return enterState(job, 'failed', { at, reason: sentence });
  const tries = job.tries + 1;
  const delay = toPollDelay({ ...event, tries: job.tries }, timing);
  // The address of the upload may have expired by the next turn.
  const upload = job.upload === null ? null : { ...job.upload, reused: true };
  return enterState(job, 'waiting', { at, tries, upload, problem: sentence, dueAt: at + delay });
}

export function onRefused(job: Job, event: VideoEventOf<'refused'>): Job {
  if (job.state !== 'submitting' || event.order !== job.orders) return job;
  const { at, sentence } = event;
  if (event.maybeUpload && job.image !== null && job.upload?.reused === true) {
    return enterState(job, 'uploading', { at, upload: null, dueAt: at });
  }
  return enterState(job, 'failed', { at, reason: sentence });
}

export function onLost(job: Job, event: VideoEventOf<'lost'>): Job {
  if (job.state !== 'submitting' || event.order !== job.orders) return job;
  return becomeUnsure(job, event.at, event.sentence);
}

/** Handles an order that may have arrived. */
export function becomeUnsure(job: Job, at: number, problem: string): Job {
  const charged = job.charged === 'yes' ? 'yes' : 'maybe';
  return enterState(job, 'unsure', { at, charged, problem });
}

/** Builds the body of an order (spec section 4.6). Members that a person added replace ours; `null` removes one. */
function composeBody({ more, ...request }: Job['request'], url: string | null): string {
  const conditions = url === null ? [] : [{ type: 'image', url }];
  const members = { ...request, conditions, ...more };
  const present = Object.entries(members).filter(([, value]) => value !== null);
  return JSON.stringify(Object.fromEntries(present));
}
