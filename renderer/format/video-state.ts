import type { VideoJob, VideoState } from '../../shared/video.ts';

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
    about: 'Nothing has been sent and nothing is charged.',
  },
  waiting: {
    label: 'Waiting',
    tone: 'none',
    about: 'It begins by itself when it is its turn; Settings say how many run at once.',
  },
  uploading: {
    label: 'Uploading',
    tone: 'running',
    about: 'The image is on its way to the service.',
  },
  submitting: {
    label: 'Ordering',
    tone: 'running',
    about: 'The order is on its way to the service.',
  },
  unsure: {
    label: 'Unsure',
    tone: 'warn',
    about: 'It is unknown whether the service accepted the order. You decide what to do.',
  },
  identifying: {
    label: 'Ordered',
    tone: 'running',
    about: 'The service took the order. Gatehouse finds out under which id.',
  },
  'needs-answer': {
    label: 'Needs an answer',
    tone: 'warn',
    about: 'Gatehouse cannot tell something in the service’s answer. You can.',
  },
  rendering: {
    label: 'Rendering',
    tone: 'running',
    about: 'The service makes the video.',
  },
  downloading: {
    label: 'Downloading',
    tone: 'running',
    about: 'The video is finished and on its way here.',
  },
  done: { label: 'Done', tone: 'good', about: 'The video is finished.' },
  failed: { label: 'Failed', tone: 'bad', about: 'There will be no video.' },
  'timed-out': {
    label: 'Asking stopped',
    tone: 'warn',
    about: 'Gatehouse asks no more; the service may still have the video.',
  },
  cancelled: {
    label: 'Cancelled',
    tone: 'none',
    about: 'Gatehouse has stopped. What the service has begun, it finishes all the same.',
  },
};

/** Returns the label, colour and meaning of a state. */
export function videoStateLabel(state: VideoState): StateLabel {
  return STATES[state];
}

/** Shortens a prompt to a title of its video. */
export function shortPrompt({ request }: Pick<VideoJob, 'request'>): string {
  return request.prompt?.trim() || 'Video without a prompt';
}
