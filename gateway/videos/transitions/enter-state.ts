import type { VideoState } from '../../../shared/video.ts';
import type { Job } from './job.ts';

/** Puts a job into another state: counters, problems and plans of the one before are gone. */
export function enterState(
  job: Job,
  state: VideoState,
  change: Partial<Job> & { readonly at: number },
): Job {
  const { at, ...rest } = change;
  return {
    ...job,
    state,
    stateSince: at,
    dueAt: null,
    tries: 0,
    late: 0,
    problem: null,
    progress: null,
    ...rest,
  };
}

/** Asks about a task from now on. Only of one that a person named for an unsure order it is not certain that it was charged. */
export function startPolling(
  job: Job,
  at: number,
  change: Pick<Job, 'taskId'> & Partial<Job>,
): Job {
  return enterState(job, 'rendering', {
    at,
    charged: job.state === 'unsure' || job.state === 'cancelled' ? job.charged : 'yes',
    asksUntil: job.asksUntil ?? at + job.waitMinutes * 60_000,
    dueAt: at,
    suspects: [],
    question: null,
    stage: null,
    ...change,
  });
}

/** Stops asking; `stage`: what is gone on with when a person asks for longer. */
export function stopPolling(job: Job, at: number, stage: NonNullable<Job['stage']>): Job {
  return enterState(job, 'timed-out', { at, stage, problem: job.problem });
}
