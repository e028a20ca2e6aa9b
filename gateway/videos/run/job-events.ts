import { isDeepStrictEqual } from 'node:util';
import type { FieldMap, VideoAnswer, VideoId } from '../../../shared/video.ts';
import type { Statement } from '../../store/store.ts';
import { listLatestRecords, type NewAnswer } from '../store/answers.ts';
import type { AnyEventPayload } from '../transitions/event.ts';
import type { RunnerDeps } from './deps.ts';
import type { Job } from '../transitions/job.ts';
import { changeFieldMap, readFieldMap } from '../store/field-maps.ts';
import type { JobTransition, JobRepository } from '../store/job-repository.ts';
import { parsePoll } from '../service/parse-poll.ts';
import { parseReply } from '../service/detect-fields.ts';
import type { Reply } from '../service/types.ts';

/** What is written down together with what happened. */
export interface EventAttachments {
  readonly answer?: NewAnswer;
  readonly also?: readonly Statement[];
}

/** Lets jobs hear what came of an act: theirs, or a client's. */
export class JobEvents {
  readonly jobs: JobRepository;
  readonly #run: RunnerDeps;

  constructor(jobs: JobRepository, run: RunnerDeps) {
    this.jobs = jobs;
    this.#run = run;
  }

  /** `null` for `what`: only the answer is kept. Resolves with `null` when the job is not there any more. */
  async dispatch(
    id: VideoId,
    what: AnyEventPayload | null,
    attached: EventAttachments = {},
  ): Promise<JobTransition | null> {
    const event = what === null ? null : { ...what, ...this.jobs.stamp() };
    return await this.jobs.apply(id, {
      event: () => event,
      timing: this.#run.timing,
      ...attached,
    });
  }

  /** An answer as it is kept: without any key. */
  answer(stage: VideoAnswer['stage'], { status, text }: AnswerText): NewAnswer {
    const { at } = this.jobs.stamp();
    return { stage, at, status, text: this.#run.redact(text) };
  }

  /** Remembers where a service puts what the spec does not name. */
  async saveLearnedFields(service: string, learned: Partial<FieldMap>): Promise<void> {
    const known = await readFieldMap(this.jobs.store, service);
    if (isDeepStrictEqual({ ...known, ...learned }, known)) return;
    await changeFieldMap(this.jobs.store, service, (map) => ({ ...map, ...learned }));
    this.jobs.dispatch();
  }

  /** An answer about the task of a job. */
  async recordPoll(job: Job, reply: Reply): Promise<JobTransition | null> {
    const { store } = this.jobs;
    const { event, learned } = parsePoll(reply, {
      job,
      map: await readFieldMap(store, job.service),
      before: (await listLatestRecords(store, job.id)).map(parseReply),
      fetches: job.origin !== 'client' || this.#run.settings().keepClientVideos,
    });
    const changed = await this.dispatch(job.id, event, {
      answer: this.answer('poll', toAnswerText(reply)),
    });
    await this.saveLearnedFields(job.service, learned);
    return changed;
  }
}

interface AnswerText {
  readonly status: number | null;
  readonly text: string;
}

/** What is kept of a reply: the answer, or why there is none. */
export function toAnswerText(reply: Reply): AnswerText {
  return reply.kind === 'answer' ? reply : { status: null, text: reply.sentence };
}
