import { beginAsking, enter } from './enter.ts';
import type { VideoEventOf } from './event.ts';
import type { Job } from './job.ts';
import { composeBody } from './order-body.ts';
import { pollDelay, retryDelay, type VideoPace } from './pace.ts';

/** A job's turn has come. */
export function claimed(job: Job, { at, upload }: VideoEventOf<'claimed'>): Job {
  if (job.state !== 'waiting') return job;
  const ready = upload === null ? job.upload : { url: upload, reused: true };
  if (job.image !== null && ready === null) return enter(job, 'uploading', { at, dueAt: at });
  return submit(job, at, ready);
}

export function uploaded(job: Job, { at, url }: VideoEventOf<'uploaded'>): Job {
  return job.state === 'uploading' ? submit(job, at, { url, reused: false }) : job;
}

function submit(job: Job, at: number, upload: Job['upload']): Job {
  return enter(job, 'submitting', {
    at,
    upload,
    body: composeBody(job.request, upload?.url ?? null),
    orders: job.orders + 1,
    orderedAt: at,
  });
}

export function uploadFailed(job: Job, event: VideoEventOf<'upload-failed'>, pace: VideoPace): Job {
  if (job.state !== 'uploading') return job;
  const dueAt = event.at + retryDelay({ ...event, tries: job.tries }, pace);
  return { ...job, tries: job.tries + 1, problem: event.sentence, dueAt };
}

export function uploadRefused(job: Job, event: VideoEventOf<'upload-refused'>): Job {
  if (job.state !== 'uploading') return job;
  return enter(job, 'failed', { at: event.at, reason: event.sentence });
}

export function uploadUnclear(job: Job, event: VideoEventOf<'upload-unclear'>): Job {
  if (job.state !== 'uploading') return job;
  return enter(job, 'needs-answer', { at: event.at, question: event.question });
}

/** Also when it comes late: an answer may arrive after the order was given up for lost. */
export function accepted(job: Job, event: VideoEventOf<'accepted'>, pace: VideoPace): Job {
  const { at, taskId, suspects, answer } = event;
  if (event.order !== job.orders) return job;
  const question = { about: 'task-id', answer, candidates: candidatesOf(suspects) } as const;
  const known = { charged: 'yes', suspects, question, upload: null } as const;
  if (job.state === 'cancelled') {
    return { ...job, ...known, taskId, stage: taskId === null ? 'identifying' : 'rendering' };
  }
  if (job.state !== 'submitting' && job.state !== 'unsure') return job;
  if (taskId !== null) {
    const dueAt = at + pollDelay({ tries: 0, chance: event.chance, retryAfterMs: null }, pace);
    return beginAsking(job, at, { taskId, charged: 'yes', upload: null, dueAt });
  }
  if (suspects.length === 0) return enter(job, 'needs-answer', { at, ...known });
  const asksUntil = at + job.waitMinutes * 60_000;
  return enter(job, 'identifying', { at, ...known, rounds: 0, asksUntil, dueAt: at });
}

/** What is offered to a person. */
export function candidatesOf(suspects: Job['suspects']) {
  return suspects.map(({ pointer, value }) => ({ pointer, value }));
}

/** Certainly nothing was ordered, so it may be sent again. A client does that itself. */
export function notOrdered(job: Job, event: VideoEventOf<'not-ordered'>, pace: VideoPace): Job {
  if (job.state !== 'submitting' || event.order !== job.orders) return job;
  const { at, sentence } = event;
  if (job.origin === 'client') return enter(job, 'failed', { at, reason: sentence });
  const tries = job.tries + 1;
  const delay = pollDelay({ ...event, tries: job.tries }, pace);
  // By the time of the next turn the service may not know the address any more.
  const upload = job.upload === null ? null : { ...job.upload, reused: true };
  return enter(job, 'waiting', { at, tries, upload, problem: sentence, dueAt: at + delay });
}

export function refused(job: Job, event: VideoEventOf<'refused'>): Job {
  if (job.state !== 'submitting' || event.order !== job.orders) return job;
  const { at, sentence } = event;
  if (event.maybeUpload && job.image !== null && job.upload?.reused === true) {
    return enter(job, 'uploading', { at, upload: null, dueAt: at });
  }
  return enter(job, 'failed', { at, reason: sentence });
}

export function lost(job: Job, event: VideoEventOf<'lost'>): Job {
  if (job.state !== 'submitting' || event.order !== job.orders) return job;
  return becomeUnsure(job, event.at, event.sentence);
}

/** Nobody knows whether the order arrived. */
export function becomeUnsure(job: Job, at: number, problem: string): Job {
  const charged = job.charged === 'yes' ? 'yes' : 'maybe';
  return enter(job, 'unsure', { at, charged, problem });
}
