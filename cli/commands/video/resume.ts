import type { VideoAction, VideoJob } from '../../../shared/video/video.ts';
import { CommandError, UsageError } from '../../errors.ts';
import {
  formatChange,
  describeOutcome,
  isActive,
  type Wording,
} from '../../output/format-video.ts';

export interface ResumeOptions {
  /** Time by which polling is extended; `null`: as long as before. */
  readonly minutes: number | null;
  readonly submitAgain: boolean;
}

/** Returns the decision that resumes a job in its present state. @throws CommandError when nothing can be resumed, UsageError */
export function toResumeAction(
  job: VideoJob,
  { minutes, submitAgain }: ResumeOptions,
  wording: Wording,
): VideoAction {
  const { state, waitMinutes, file } = job;
  if (submitAgain) {
    if (state === 'unsure') return { type: 'submit-again' };
    throw new UsageError(
      'Only an order whose outcome is unknown can be sent again. For another video: video new',
    );
  }
  if (state === 'draft') return { type: 'confirm' };
  if (state === 'done' && file?.present !== true) return { type: 'fetch-again' };
  const extended = { type: 'extend', minutes: minutes ?? waitMinutes } as const;
  const goesOn = state === 'timed-out' || (state === 'cancelled' && job.taskId !== null);
  if (goesOn || (isActive(job) && minutes !== null)) return extended;
  throw new CommandError(
    isActive(job)
      ? `It is already in progress: ${formatChange(job)}. To poll longer: --minutes N`
      : describeOutcome(job, wording),
  );
}
