import { parseReply } from '../service/detect-fields.ts';
import { parsePoll } from '../service/parse-poll.ts';
import type { Reply } from '../service/types.ts';
import { listLatestRecords, toAnswerText } from '../store/answers.ts';
import { readFieldMap } from '../store/field-maps.ts';
import type { JobRepository, JobTransition } from '../store/job-repository.ts';
import type { Job } from '../transitions/job.ts';
import type { RunnerDeps } from './deps.ts';

export interface PollRecordDeps {
  readonly repository: JobRepository;
  readonly run: Pick<RunnerDeps, 'settings'>;
}

/** Applies a reply about a job's task, which the engine or a client asked for, to the job. */
export async function recordPoll(
  { repository, run }: PollRecordDeps,
  job: Job,
  reply: Reply,
): Promise<JobTransition | null> {
  const { store } = repository;
  const { event, learned } = parsePoll(reply, {
    job,
    map: await readFieldMap(store, job.service),
    before: (await listLatestRecords(store, job.id)).map(parseReply),
    fetches: job.origin !== 'client' || run.settings().keepClientVideos,
  });
  const answer = repository.createAnswer('poll', toAnswerText(reply));
  const changed = await repository.dispatch(job.id, event, { answer });
  await repository.saveLearnedFields(job.service, learned);
  return changed;
}
