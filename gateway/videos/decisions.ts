import type { VideoAct } from '../../shared/video.ts';
import { Refused } from '../refused.ts';
import { canFetchAgain, resumesWith, takesId } from './deciding.ts';
import type { VideoEvent } from './event.ts';
import type { Job } from './job.ts';
import { isIdentifier, readJson, valueAt } from './studio/shapes.ts';

/** What a decision is made on besides the job. */
export interface DecisionGround {
  readonly at: number;
  readonly chance: number;
  /** The end of the queue. */
  readonly position: number;
  /** Its video is on this disk. */
  readonly hasFile: boolean;
  /** The latest answer about the task; `null` when there is none. */
  readonly lastAnswer: string | null;
}

const ON_ITS_WAY =
  'The order is on its way right now. Its outcome is known in a moment; decide then.';

/** What a person's decision does to a job. @throws Refused with what stands against it. */
export function eventOf(job: Job, act: VideoAct, ground: DecisionGround): VideoEvent {
  const { at, chance, position } = ground;
  const occasion = { at, chance };
  if (job.state === 'submitting' && act.act !== 'explain-word') throw new Refused(ON_ITS_WAY);
  switch (act.act) {
    case 'confirm':
      if (job.state !== 'draft') throw new Refused('This video was confirmed already.');
      return { ...occasion, kind: 'confirm', position };
    case 'submit-again':
      refuseAgain(job);
      return { ...occasion, kind: 'submit-again', position };
    case 'give-id':
      if (!takesId(job)) throw new Refused('This video needs no task id now.', 'taskId');
      return { ...occasion, kind: 'give-id', taskId: identifier(act.taskId, 'taskId') };
    case 'answer':
      return { ...occasion, kind: 'answer', value: valueFor(job, act.pointer) };
    case 'answer-value':
      return { ...occasion, kind: 'answer', value: checked(job, act.value) };
    case 'explain-word':
      if (job.word === null) throw new Refused('The service has not said a word about it yet.');
      return { ...occasion, kind: 'explain', meaning: act.meaning };
    case 'pick-reason':
      return { ...occasion, kind: 'pick-reason', reason: reasonFor(job, act.pointer, ground) };
    case 'extend':
      if (resumesWith(job) === null) throw new Refused('There is nothing to ask for now.');
      return { ...occasion, kind: 'extend', minutes: act.minutes };
    case 'fetch-again':
      if (ground.hasFile) throw new Refused('This video is on this disk already.');
      if (!canFetchAgain(job)) throw new Refused('There is no finished video to fetch.');
      return { ...occasion, kind: 'fetch-again' };
    case 'cancel':
      refuseCancel(job);
      return { ...occasion, kind: 'cancel' };
  }
}

function refuseAgain({ state, origin }: Job): void {
  if (state !== 'unsure') {
    throw new Refused('Only an order whose outcome is unknown can be sent again.');
  }
  if (origin === 'client') {
    throw new Refused(
      'This order came from a client, and only that client can order it again. If you know the id of the task, give it here.',
    );
  }
}

function refuseCancel({ state }: Job): void {
  if (state === 'draft') throw new Refused('A draft is not under way. Remove it instead.');
  if (state === 'done' || state === 'failed' || state === 'cancelled') {
    throw new Refused('This video is not under way any more.');
  }
}

/** @throws Refused */
function valueFor(job: Job, pointer: string): string {
  const { question } = job;
  const offered = question?.candidates.find((candidate) => candidate.pointer === pointer);
  const value = offered?.value ?? valueAt(readJson(question?.answer ?? ''), pointer);
  if (value === null)
    throw new Refused('There is no value at this place of the answer.', 'pointer');
  return checked(job, value, 'pointer');
}

/** @throws Refused */
function checked(job: Job, value: string, field = 'value'): string {
  if (job.state !== 'needs-answer' || job.question === null) {
    throw new Refused('This video waits for no answer now.', field);
  }
  if (job.question.about === 'file-url' && !isAddress(value)) {
    throw new Refused('This is no address of a file: it begins with http:// or https://.', field);
  }
  return job.question.about === 'task-id' ? identifier(value, field) : value;
}

/** @throws Refused */
function identifier(value: string, field: string): string {
  if (isIdentifier(value)) return value;
  throw new Refused(
    'This is no id of a task: it has no spaces, at most 512 characters, and is no address.',
    field,
  );
}

function isAddress(value: string): boolean {
  return /^https?:$/u.test(URL.parse(value)?.protocol ?? '');
}

/** @throws Refused */
function reasonFor(job: Job, pointer: string, { lastAnswer }: DecisionGround): string {
  if (job.state !== 'failed') throw new Refused('This video has not failed.', 'pointer');
  const offered = job.reasons.find((candidate) => candidate.pointer === pointer);
  const value = offered?.value ?? valueAt(readJson(lastAnswer ?? ''), pointer);
  if (value === null) throw new Refused('There is no text at this place of the answer.', 'pointer');
  return value;
}
