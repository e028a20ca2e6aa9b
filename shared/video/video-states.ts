import type { VideoJob, VideoState } from './video.ts';

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

/** Usual words for a task that waits for its turn, alone or behind the name of the task. */
const QUEUED_WORD =
  /^(?:(?:task|job|video|render|status)[_ -])?(?:queued|in[_ -]?queue|queueing|pending|waiting|scheduled)$/iu;

/** Returns whether the service says that a video waits for its turn there. */
export function isQueued({ state, word }: Pick<VideoJob, 'state' | 'word'>): boolean {
  return state === 'rendering' && word !== null && QUEUED_WORD.test(word);
}
