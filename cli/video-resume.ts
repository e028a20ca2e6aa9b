import type { VideoAct, VideoJob } from '../shared/video.ts';
import { CommandFailed, UsageProblem } from './problem.ts';
import { changeWords, endWords, isUnderWay } from './video-words.ts';

export interface Wish {
  /** How much longer to ask; `null`: as long as before. */
  readonly minutes: number | null;
  readonly submitAgain: boolean;
}

/** What resuming means for a job as it is now. @throws CommandFailed when nothing can be resumed, UsageProblem */
export function resumption(
  job: VideoJob,
  { minutes, submitAgain }: Wish,
  command: string,
): VideoAct {
  const { state, waitMinutes, file } = job;
  if (submitAgain) {
    if (state === 'unsure') return { act: 'submit-again' };
    throw new UsageProblem(
      'Only an order whose outcome is unknown can be sent again. For another video: video new',
    );
  }
  if (state === 'draft') return { act: 'confirm' };
  if (state === 'done' && file?.present !== true) return { act: 'fetch-again' };
  const extended = { act: 'extend', minutes: minutes ?? waitMinutes } as const;
  const goesOn = state === 'timed-out' || (state === 'cancelled' && job.taskId !== null);
  if (goesOn || (isUnderWay(job) && minutes !== null)) return extended;
  throw new CommandFailed(
    isUnderWay(job)
      ? `It goes on already: ${changeWords(job)}. To ask for it longer: --minutes N`
      : endWords(job, command),
  );
}
