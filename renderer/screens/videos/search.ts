import { z } from 'zod';
import {
  VideoId,
  type VideoFilter,
  type VideoPage,
  type VideoState,
} from '../../../shared/video.ts';
import { PERSON_VIDEO_STATES, ACTIVE_VIDEO_STATES } from '../../../shared/video-states.ts';

/** Jobs that belong together for whoever looks for one. */
export const VideoGroup = z.enum([
  'person',
  'drafts',
  'waiting',
  'under-way',
  'done',
  'failed',
  'stopped',
]);
export type VideoGroup = z.infer<typeof VideoGroup>;

interface GroupOfStates {
  readonly words: string;
  readonly states: readonly VideoState[];
}

const GROUPS: Readonly<Record<VideoGroup, GroupOfStates>> = {
  person: { words: 'Waiting for you', states: PERSON_VIDEO_STATES },
  drafts: { words: 'Drafts', states: ['draft'] },
  waiting: { words: 'Waiting', states: ['waiting'] },
  'under-way': { words: 'Under way', states: ACTIVE_VIDEO_STATES },
  done: { words: 'Done', states: ['done'] },
  failed: { words: 'Failed', states: ['failed'] },
  stopped: { words: 'Stopped', states: ['timed-out', 'cancelled'] },
};

export function groupLabel(group: VideoGroup): string {
  return GROUPS[group].words;
}

/** So many characters can be looked for. */
export const MAX_TEXT_LENGTH = 200;

/** The filter in the address, and the video whose details are shown. What makes no sense is left out. */
export const VideosSearch = z.object({
  show: VideoGroup.optional().catch(undefined),
  // As it is typed: a space at the end is the beginning of the next word.
  text: z.string().max(MAX_TEXT_LENGTH).optional().catch(undefined),
  video: VideoId.optional().catch(undefined),
});
export type VideosSearch = z.infer<typeof VideosSearch>;

/** What a new video begins with: another job, or a draft that is gone on with. */
export const NewVideoSearch = z.object({
  from: VideoId.optional().catch(undefined),
  draft: VideoId.optional().catch(undefined),
});
export type NewVideoSearch = z.infer<typeof NewVideoSearch>;

/** The filter that an address asks for; empty when it asks for everything. */
export function toFilter({ show, text }: VideosSearch): VideoFilter {
  const words = text?.trim();
  return {
    ...(show === undefined ? {} : { states: [...GROUPS[show].states] }),
    ...(words ? { text: words } : {}),
  };
}

/** How many jobs a group has. */
export function countGroup(group: VideoGroup, counts: VideoPage['counts'] | undefined): number {
  return GROUPS[group].states.reduce((sum, state) => sum + (counts?.[state] ?? 0), 0);
}
