import { findLimitId } from '../../shared/money/describe-limit.ts';
import { isQueued } from '../../shared/video/video-states.ts';
import type { VideoJob, VideoState } from '../../shared/video/video.ts';

export type Tone = 'good' | 'warn' | 'bad' | 'running' | 'none';

interface StateLabel {
  readonly label: string;
  readonly tone: Tone;
  /** The meaning as a sentence. */
  readonly about: string;
}

const STATES: Readonly<Record<VideoState, StateLabel>> = {
  draft: {
    label: 'Draft',
    tone: 'none',
    about: 'Nothing has been sent.',
  },
  waiting: {
    label: 'Waiting',
    tone: 'none',
    about: 'It starts automatically. The number that run at once is set in Settings.',
  },
  uploading: {
    label: 'Uploading',
    tone: 'running',
    about: 'The image is being sent to the service.',
  },
  submitting: {
    label: 'Ordering',
    tone: 'running',
    about: 'The order is being sent to the service.',
  },
  unsure: {
    label: 'Unsure',
    tone: 'warn',
    about: 'It is unknown whether the service accepted the order. You decide what to do.',
  },
  identifying: {
    label: 'Ordered',
    tone: 'running',
    about: 'The service accepted the order. Gatehouse is looking up its id.',
  },
  'needs-answer': {
    label: 'Needs an answer',
    tone: 'warn',
    about: 'Gatehouse does not understand part of the service’s answer and needs your help.',
  },
  rendering: {
    label: 'Rendering',
    tone: 'running',
    about: 'The service has accepted the order and makes the video when it is its turn.',
  },
  downloading: {
    label: 'Downloading',
    tone: 'running',
    about: 'The video is finished and is being downloaded.',
  },
  done: { label: 'Done', tone: 'good', about: 'The video is finished.' },
  failed: { label: 'Failed', tone: 'bad', about: 'No video was created.' },
  'timed-out': {
    label: 'Timed out',
    tone: 'warn',
    about: 'Gatehouse no longer checks; the service may still have the video.',
  },
  cancelled: {
    label: 'Cancelled',
    tone: 'none',
    about: 'Gatehouse has stopped. The service still finishes what it has started.',
  },
};

/** Returns the label, colour and meaning of the state of a video. `paused`: whether Gatehouse is, so that nothing is ordered. */
export function videoStateLabel(
  job: Pick<VideoJob, 'state' | 'word' | 'problem'>,
  paused: boolean,
): StateLabel {
  const label = STATES[job.state];
  if (paused && job.state === 'waiting')
    return { ...label, about: 'Gatehouse is paused. It starts when you resume Gatehouse.' };
  if (isHeldByLimit(job)) {
    const about =
      'A limit holds it. It starts when enough of the limit is free, or the limit is changed or lets it pass.';
    return { ...label, about };
  }
  return isQueued(job) ? { ...label, label: 'Queued' } : label;
}

/** Whether a video waits because a limit refuses its order. */
export function isHeldByLimit({ state, problem }: Pick<VideoJob, 'state' | 'problem'>): boolean {
  return state === 'waiting' && problem !== null && findLimitId(problem) !== null;
}

/** Shortens a prompt to a title of its video. */
export function shortPrompt({ request }: Pick<VideoJob, 'request'>): string {
  return request.prompt?.trim() || 'Video without a prompt';
}
