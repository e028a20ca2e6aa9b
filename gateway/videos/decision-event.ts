import type { VideoAction } from '../../shared/video.ts';
import { UserError } from '../errors.ts';
import { canFetchAgain, toResumedStage, canTakeId } from './transitions/decision.ts';
import type { VideoEvent } from './transitions/event.ts';
import type { Job } from './transitions/job.ts';
import { isIdentifier, parseReply, getValueAt } from './service/detect-fields.ts';

/** What a decision is made on besides the job. */
export interface DecisionContext {
  readonly at: number;
  readonly jitter: number;
  /** The end of the queue. */
  readonly position: number;
  /** Its video is on this disk. */
  readonly hasFile: boolean;
  /** The latest answer about the task; `null` when there is none. */
  readonly lastAnswer: string | null;
}

const IN_FLIGHT =
  'The order is on its way right now. Its outcome is known in a moment; decide then.';

/** What a person's decision does to a job. @throws Refused with what stands against it. */
export function toDecisionEvent(job: Job, act: VideoAction, context: DecisionContext): VideoEvent {
  const { at, jitter, position } = context;
  const occasion = { at, jitter };
  if (job.state === 'submitting' && act.act !== 'explain-word') throw new UserError(IN_FLIGHT);
  switch (act.act) {
    case 'confirm':
      if (job.state !== 'draft') throw new UserError('This video was confirmed already.');
      return { ...occasion, kind: 'confirm', position };
    case 'submit-again':
      assertCanSubmitAgain(job);
      return { ...occasion, kind: 'submit-again', position };
    case 'give-id':
      if (!canTakeId(job)) throw new UserError('This video needs no task id now.', 'taskId');
      return { ...occasion, kind: 'give-id', taskId: validateIdentifier(act.taskId, 'taskId') };
    case 'answer':
      return { ...occasion, kind: 'answer', value: findValue(job, act.pointer) };
    case 'answer-value':
      return { ...occasion, kind: 'answer', value: validateValue(job, act.value) };
    case 'explain-word':
      if (job.word === null) throw new UserError('The service has not said a word about it yet.');
      return { ...occasion, kind: 'explain', meaning: act.meaning };
    case 'pick-reason':
      return { ...occasion, kind: 'pick-reason', reason: findReason(job, act.pointer, context) };
    case 'extend':
      if (toResumedStage(job) === null) throw new UserError('There is nothing to ask for now.');
      return { ...occasion, kind: 'extend', minutes: act.minutes };
    case 'fetch-again':
      if (context.hasFile) throw new UserError('This video is on this disk already.');
      if (!canFetchAgain(job)) throw new UserError('There is no finished video to fetch.');
      return { ...occasion, kind: 'fetch-again' };
    case 'cancel':
      assertCanCancel(job);
      return { ...occasion, kind: 'cancel' };
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
  if (state === 'draft') throw new UserError('A draft is not under way. Remove it instead.');
  if (state === 'done' || state === 'failed' || state === 'cancelled') {
    throw new UserError('This video is not under way any more.');
  }
}

/** @throws Refused */
function findValue(job: Job, pointer: string): string {
  const { question } = job;
  const offered = question?.candidates.find((candidate) => candidate.pointer === pointer);
  const value = offered?.value ?? getValueAt(parseReply(question?.answer ?? ''), pointer);
  if (value === null)
    throw new UserError('There is no value at this place of the answer.', 'pointer');
  return validateValue(job, value, 'pointer');
}

/** @throws Refused */
function validateValue(job: Job, value: string, field = 'value'): string {
  if (job.state !== 'needs-answer' || job.question === null) {
    throw new UserError('This video waits for no answer now.', field);
  }
  if (job.question.about === 'file-url' && !isAddress(value)) {
    throw new UserError('This is no address of a file: it begins with http:// or https://.', field);
  }
  return job.question.about === 'task-id' ? validateIdentifier(value, field) : value;
}

/** @throws Refused */
function validateIdentifier(value: string, field: string): string {
  if (isIdentifier(value)) return value;
  throw new UserError(
    'This is no id of a task: it has no spaces, at most 512 characters, and is no address.',
    field,
  );
}

function isAddress(value: string): boolean {
  return /^https?:$/u.test(URL.parse(value)?.protocol ?? '');
}

/** @throws Refused */
function findReason(job: Job, pointer: string, { lastAnswer }: DecisionContext): string {
  if (job.state !== 'failed') throw new UserError('This video has not failed.', 'pointer');
  const offered = job.reasons.find((candidate) => candidate.pointer === pointer);
  const value = offered?.value ?? getValueAt(parseReply(lastAnswer ?? ''), pointer);
  if (value === null)
    throw new UserError('There is no text at this place of the answer.', 'pointer');
  return value;
}
