import { stat } from 'node:fs/promises';
import type { FieldMap, VideoAction, VideoId } from '../../shared/video/video.ts';
import { NotFoundError, UserError } from '../errors.ts';
import type { Statement } from '../store/store.ts';
import { toDecisionEvent } from './transitions/decision.ts';
import type { Job } from './transitions/job.ts';
import { changeFieldMap } from './store/field-maps.ts';
import type { JobRepository } from './store/job-repository.ts';
import { findNextPosition } from './store/queue.ts';
import { uploadStatement } from './store/uploads.ts';

type Answer = Extract<VideoAction, { readonly type: 'answer' }>;

/** Applies a person's decision to a job, and to similar jobs of the same service. @throws UserError, NotFoundError */
export async function applyDecision(
  repository: JobRepository,
  id: VideoId,
  action: VideoAction,
): Promise<Job> {
  const before = await repository.find(id);
  if (before === null) throw unreadableError(repository, id);
  const after = await applyToJob(repository, before, action);
  await saveLearnedFields(repository, before, action);
  return after;
}

/** Creates the error for a video that was not found or cannot be read. */
export function unreadableError(repository: JobRepository, id: VideoId): NotFoundError {
  return new NotFoundError(
    repository.unreadableIds.includes(id)
      ? `The video ${id} is damaged in gatehouse.db: it cannot be shown, and nothing is sent for it. A copy of the database may have it: gatehouse restore`
      : `There is no video with the id “${id}”, or it was removed.`,
  );
}

async function applyToJob(
  repository: JobRepository,
  { id, service, file }: Job,
  action: VideoAction,
): Promise<Job> {
  const context = {
    ...repository.stamp(),
    position: await findNextPosition(repository),
    hasFile: file !== null && (await stat(file.path).catch(() => null))?.isFile() === true,
    lastAnswer: action.type === 'pick-reason' ? await findLastAnswer(repository, id) : null,
  };
  const also: Statement[] = [];
  const changed = await repository.apply(id, {
    event: (job) => {
      const event = toDecisionEvent(job, action, context);
      const { about } = job.question ?? {};
      also.length = 0;
      if (event.kind === 'answer' && about === 'file-url' && job.image !== null) {
        const { hash: sha256 } = job.image;
        also.push(uploadStatement({ service, sha256, url: event.value, at: event.at }));
      }
      return event;
    },
    also,
  });
  if (changed === null) throw unreadableError(repository, id);
  return changed.after;
}

async function findLastAnswer(
  { store: { db } }: JobRepository,
  id: VideoId,
): Promise<string | null> {
  const row = await db
    .selectFrom('video_answer')
    .select('text')
    .where('job_id', '=', id)
    .where('stage', '=', 'poll')
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.text ?? null;
}

async function saveLearnedFields(
  repository: JobRepository,
  job: Job,
  action: VideoAction,
): Promise<void> {
  const learned = toLearnedFields(job, action);
  if (learned === null) return;
  await changeFieldMap(repository.store, job.service, (map) => ({ ...map, ...learned(map) }));
  repository.notify();
  if (action.type === 'answer') await applyToSimilarJobs(repository, job, action);
  if (action.type === 'explain-word') await applyMeaningToSimilarJobs(repository, job, action);
}

function toLearnedFields(
  job: Job,
  action: VideoAction,
): ((map: FieldMap) => Partial<FieldMap>) | null {
  const { word, question } = job;
  if (action.type === 'pick-reason') return () => ({ reason: action.pointer });
  if (action.type === 'explain-word' && word !== null) {
    return ({ words }) => ({ words: { ...words, [word]: action.meaning } });
  }
  if (action.type !== 'answer') return null;
  return () =>
    question?.about === 'file-url' ? { fileUrl: action.pointer } : { taskId: action.pointer };
}

/** Answers the same question of the service for other jobs. */
async function applyToSimilarJobs(
  repository: JobRepository,
  job: Job,
  action: Answer,
): Promise<void> {
  for (const other of await findJobsInState(repository, 'needs-answer', job.service)) {
    if (other.question?.about === job.question?.about)
      await applyIfPossible(repository, other, action);
  }
}

/** Answers open questions of jobs by the field map. */
export async function answerByMap(
  repository: JobRepository,
  service: string,
  map: FieldMap,
): Promise<void> {
  for (const job of await findJobsInState(repository, 'needs-answer', service)) {
    const pointer = job.question?.about === 'file-url' ? map.fileUrl : map.taskId;
    if (pointer !== null) await applyIfPossible(repository, job, { type: 'answer', pointer });
  }
}

async function applyMeaningToSimilarJobs(
  repository: JobRepository,
  { word, service }: Job,
  action: VideoAction,
): Promise<void> {
  for (const other of await findJobsInState(repository, 'rendering', service)) {
    if (other.word === word) await applyIfPossible(repository, other, action);
  }
}

async function applyIfPossible(
  repository: JobRepository,
  job: Job,
  action: VideoAction,
): Promise<void> {
  try {
    await applyToJob(repository, job, action);
  } catch (error) {
    // A job with another answer, or that has gone on meanwhile, is left to its person.
    if (!(error instanceof UserError) && !(error instanceof NotFoundError)) throw error;
  }
}

async function findJobsInState(
  repository: JobRepository,
  state: Job['state'],
  service: string,
): Promise<readonly Job[]> {
  const rows = await repository.store.db
    .selectFrom('video_job')
    .selectAll()
    .where('state', '=', state)
    .where('service', '=', service)
    .execute();
  return repository.read(rows);
}
