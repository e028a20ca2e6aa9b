import type { VideoState } from '../../../shared/video/video.ts';
import type { Job } from './job.ts';

/** Moves a job to another state, and clears counters, problems and plans of the one before. */
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

/** Starts polling a task. It was charged, unless a person named it for an unsure order, which proves nothing. */
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

/** Stops polling. `stage` is resumed when a person extends the time. */
export function stopPolling(job: Job, at: number, stage: NonNullable<Job['stage']>): Job {
  return enterState(job, 'timed-out', { at, stage, problem: job.problem });
}
