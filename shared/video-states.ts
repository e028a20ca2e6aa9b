import type { VideoState } from './video.ts';

/** States in which Gatehouse does something at the service for a video. */
export const ACTIVE_VIDEO_STATES: readonly VideoState[] = [
  'uploading',
  'submitting',
  'identifying',
  'rendering',
  'downloading',
];

/** States in which a video goes on by itself: it is active, or waits for its place in the queue. */
export const RUNNING_VIDEO_STATES: readonly VideoState[] = ['waiting', ...ACTIVE_VIDEO_STATES];

/** States that only a decision of a person ends. */
export const PERSON_VIDEO_STATES: readonly VideoState[] = ['unsure', 'needs-answer'];
