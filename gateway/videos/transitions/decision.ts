import { startPolling, enterState } from './enter-state.ts';
import type { VideoEventOf } from './event.ts';
import type { Job } from './job.ts';
import type { VideoAction } from '../../../shared/video/video.ts';
import type { VideoEvent } from './event.ts';
import { UserError } from '../../errors.ts';
import { getValueAt } from '../service/detect-fields.ts';
import { parseReply } from '../service/detect-fields.ts';
import { isIdentifier } from '../service/detect-fields.ts';

export function onDescribed(job: Job, event: VideoEventOf<'described'>): Job {
  const { request, image, waitMinutes } = event;
  return job.state === 'draft' ? { ...job, request, image, waitMinutes } : job;
}

export function onConfirmed(job: Job, { at, position }: VideoEventOf<'confirm'>): Job {
  return job.state === 'draft' ? enterState(job, 'waiting', { at, position, dueAt: at }) : job;
}

/** Gatehouse does not have the bytes of a client's order; only the client has them. */
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

/** Whether a person can name the task of this job: something was ordered and is not finished. */
function canTakeId(job: Job): boolean {
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

/** Polls again. The meaning of the word itself is saved in the field map. */
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

/** Returns the stage that polling resumes with; `null` when it cannot. */
function toResumedStage(job: Job): Job['stage'] {
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

/** Whether the video can be downloaded again, or now instead of later. */
function canFetchAgain({ state, stage, taskId }: Job): boolean {
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
      // Identification may ask this question again later.
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

/** Facts besides the job that a decision depends on. */
export interface DecisionContext {
  readonly at: number;
  readonly jitter: number;
  /** The position after all others in the queue. */
  readonly position: number;
  /** Whether its video is on this disk. */
  readonly hasFile: boolean;
  /** The latest answer about the task; `null` when there is none. */
  readonly lastAnswer: string | null;
}

const IN_FLIGHT = 'The order is being sent. Wait a moment for its outcome, then decide.';

/** Converts a person's decision to an event. @throws UserError when the state of the job does not allow it */
export function toDecisionEvent(
  job: Job,
  action: VideoAction,
  context: DecisionContext,
): VideoEvent {
  const { at, jitter, position } = context;
  const stamp = { at, jitter };
  if (job.state === 'submitting' && action.type !== 'explain-word') throw new UserError(IN_FLIGHT);
  switch (action.type) {
    case 'confirm':
      if (job.state !== 'draft') throw new UserError('This video is already confirmed.');
      return { ...stamp, kind: 'confirm', position };
    case 'submit-again':
      assertCanSubmitAgain(job);
      return { ...stamp, kind: 'submit-again', position };
    case 'give-id':
      if (!canTakeId(job)) throw new UserError('This video needs no task id now.', 'taskId');
      return { ...stamp, kind: 'give-id', taskId: validateIdentifier(action.taskId, 'taskId') };
    case 'answer':
      return { ...stamp, kind: 'answer', value: findValue(job, action.pointer) };
    case 'answer-value':
      return { ...stamp, kind: 'answer', value: validateValue(job, action.value) };
    case 'explain-word':
      if (job.word === null) throw new UserError('The service has not reported a status yet.');
      return { ...stamp, kind: 'explain', meaning: action.meaning };
    case 'pick-reason':
      return { ...stamp, kind: 'pick-reason', reason: findReason(job, action.pointer, context) };
    case 'extend':
      if (toResumedStage(job) === null) throw new UserError('There is nothing to check now.');
      return { ...stamp, kind: 'extend', minutes: action.minutes };
    case 'fetch-again':
      if (context.hasFile) throw new UserError('This video is already on this disk.');
      if (!canFetchAgain(job)) throw new UserError('There is no finished video to fetch.');
      return { ...stamp, kind: 'fetch-again' };
    case 'cancel':
      assertCanCancel(job);
      return { ...stamp, kind: 'cancel' };
  }
}

function assertCanSubmitAgain({ state, origin }: Job): void {
  if (state !== 'unsure') {
    throw new UserError('Only an order whose outcome is unknown can be sent again.');
  }
  if (origin === 'client') {
    throw new UserError(
      'This order came from a client, and only that client can order it again. If you know the id of the task, give it here.',
    );
  }
}

function assertCanCancel({ state }: Job): void {
  if (state === 'draft') throw new UserError('A draft is not in progress. Remove it instead.');
  if (state === 'done' || state === 'failed' || state === 'cancelled') {
    throw new UserError('This video is no longer in progress.');
  }
}

/** @throws UserError */
function findValue(job: Job, pointer: string): string {
  const { question } = job;
  const offered = question?.candidates.find((candidate) => candidate.pointer === pointer);
  const value = offered?.value ?? getValueAt(parseReply(question?.answer ?? ''), pointer);
  if (value === null)
    throw new UserError('There is no value at this path of the answer.', 'pointer');
  return validateValue(job, value, 'pointer');
}

/** @throws UserError */
function validateValue(job: Job, value: string, field = 'value'): string {
  if (job.state !== 'needs-answer' || job.question === null) {
    throw new UserError('This video needs no answer now.', field);
  }
  if (job.question.about === 'file-url' && !isAddress(value)) {
    throw new UserError(
      'This is not the address of a file: it must begin with http:// or https://.',
      field,
    );
  }
  return job.question.about === 'task-id' ? validateIdentifier(value, field) : value;
}

/** @throws UserError */
function validateIdentifier(value: string, field: string): string {
  if (isIdentifier(value)) return value;
  throw new UserError(
    'This is not a task id: an id has no spaces, has at most 512 characters and is not an address.',
    field,
  );
}

function isAddress(value: string): boolean {
  return /^https?:$/u.test(URL.parse(value)?.protocol ?? '');
}

/** @throws UserError */
function findReason(job: Job, pointer: string, { lastAnswer }: DecisionContext): string {
  if (job.state !== 'failed') throw new UserError('This video has not failed.', 'pointer');
  const offered = job.reasons.find((candidate) => candidate.pointer === pointer);
  const value = offered?.value ?? getValueAt(parseReply(lastAnswer ?? ''), pointer);
  if (value === null)
    throw new UserError('There is no text at this path of the answer.', 'pointer');
  return value;
}
