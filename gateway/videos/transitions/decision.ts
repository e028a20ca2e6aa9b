import { startPolling, enterState } from './enter-state.ts';
import type { VideoEventOf } from './event.ts';
import type { Job } from './job.ts';

export function onDescribed(job: Job, event: VideoEventOf<'described'>): Job {
  const { request, image, waitMinutes } = event;
  return job.state === 'draft' ? { ...job, request, image, waitMinutes } : job;
}

export function onConfirmed(job: Job, { at, position }: VideoEventOf<'confirm'>): Job {
  return job.state === 'draft' ? enterState(job, 'waiting', { at, position, dueAt: at }) : job;
}

/** A client's order left with its bytes; only the client has them. */
export function onSubmitAgain(job: Job, { at, position }: VideoEventOf<'submit-again'>): Job {
  if (job.state !== 'unsure' || job.origin === 'client') return job;
  return enterState(job, 'waiting', { at, position, upload: null, dueAt: at });
}

export function onIdGiven(job: Job, { at, taskId }: VideoEventOf<'give-id'>): Job {
  return canTakeId(job)
    ? startPolling(job, at, { taskId, upload: null, ...toNewDeadline(job, at) })
    : job;
}

function toNewDeadline(job: Job, at: number) {
  return { asksUntil: Math.max(job.asksUntil ?? 0, at + job.waitMinutes * 60_000) };
}

/** Whether the task of this job can be named: something was ordered and it is not finished. */
export function canTakeId(job: Job): boolean {
  switch (job.state) {
    case 'unsure':
    case 'identifying':
    case 'rendering':
    case 'timed-out':
      return true;
    case 'needs-answer':
      return job.question?.about === 'task-id';
    case 'cancelled':
      return job.orders > 0;
    case 'draft':
    case 'waiting':
    case 'uploading':
    case 'submitting':
    case 'downloading':
    case 'done':
    case 'failed':
      return false;
  }
}

export function onAnswered(job: Job, { at, value }: VideoEventOf<'answer'>): Job {
  if (job.state !== 'needs-answer') return job;
  if (job.question?.about === 'task-id') {
    return startPolling(job, at, { taskId: value, ...toNewDeadline(job, at) });
  }
  const upload = { url: value, reused: false };
  return enterState(job, 'waiting', { at, upload, question: null, dueAt: at });
}

/** What the word means is remembered for the service; the job only asks again. */
export function onExplained(job: Job, { at, meaning }: VideoEventOf<'explain'>): Job {
  if (job.state === 'rendering') return { ...job, dueAt: at };
  const stopped = job.state === 'timed-out' && job.stage === 'rendering';
  const misread = job.state === 'failed' && job.taskId !== null && meaning !== 'failed';
  if (!stopped && !misread) return job;
  return enterState(job, 'rendering', { at, dueAt: at, reason: null, reasons: [], stage: null });
}

export function onReasonPicked(job: Job, { reason }: VideoEventOf<'pick-reason'>): Job {
  return job.state === 'failed' ? { ...job, reason, reasons: [] } : job;
}

/** `null`: asking cannot go on from here. */
export function toResumedStage(job: Job): Job['stage'] {
  const { state, stage } = job;
  if (state === 'identifying' || state === 'rendering') return state;
  return state === 'timed-out' || state === 'cancelled' ? stage : null;
}

export function onExtended(job: Job, { at, minutes }: VideoEventOf<'extend'>): Job {
  const stage = toResumedStage(job);
  if (stage === null) return job;
  const asksUntil = Math.max(job.asksUntil ?? 0, at) + minutes * 60_000;
  if (stage === job.state) return { ...job, asksUntil, late: 0 };
  return enterState(job, stage, { at, asksUntil, dueAt: at, stage: null, duds: 0, rounds: 0 });
}

/** Whether its video can be fetched once more, or now instead of later. */
export function canFetchAgain({ state, stage, taskId }: Job): boolean {
  if (taskId === null) return false;
  return (
    state === 'done' ||
    state === 'downloading' ||
    ((state === 'timed-out' || state === 'cancelled') && stage === 'downloading')
  );
}

export function onFetchAgain(job: Job, { at }: VideoEventOf<'fetch-again'>): Job {
  if (!canFetchAgain(job)) return job;
  if (job.state === 'downloading') return { ...job, dueAt: at };
  return enterState(job, 'downloading', { at, dueAt: at, stage: null, duds: 0, file: null });
}

export function onCancelled(job: Job, { at }: VideoEventOf<'cancel'>): Job {
  const stage = toResumedStage(job);
  switch (job.state) {
    case 'waiting':
    case 'uploading':
    case 'unsure':
    case 'needs-answer':
    case 'identifying':
    case 'rendering':
    case 'timed-out':
      // Whoever goes on with identifying may have to ask it.
      return enterState(job, 'cancelled', {
        at,
        stage,
        question: stage === 'identifying' ? job.question : null,
      });
    case 'downloading':
      return enterState(job, 'cancelled', { at, stage: 'downloading' });
    case 'draft':
    case 'submitting':
    case 'done':
    case 'failed':
    case 'cancelled':
      return job;
  }
}
