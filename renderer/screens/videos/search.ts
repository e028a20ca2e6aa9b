import { z } from 'zod';
import {
  VideoId,
  type VideoFilter,
  type VideoPage,
  type VideoState,
} from '../../../shared/video.ts';
import { PERSON_VIDEO_STATES, ACTIVE_VIDEO_STATES } from '../../../shared/video-states.ts';

/** Groups of states, as a person filters them. */
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
  readonly label: string;
  readonly states: readonly VideoState[];
}

const GROUPS: Readonly<Record<VideoGroup, GroupOfStates>> = {
  person: { label: 'Needs a decision', states: PERSON_VIDEO_STATES },
  drafts: { label: 'Drafts', states: ['draft'] },
  waiting: { label: 'Waiting', states: ['waiting'] },
  'under-way': { label: 'In progress', states: ACTIVE_VIDEO_STATES },
  done: { label: 'Done', states: ['done'] },
  failed: { label: 'Failed', states: ['failed'] },
  stopped: { label: 'Stopped', states: ['timed-out', 'cancelled'] },
};

export function groupLabel(group: VideoGroup): string {
  return GROUPS[group].label;
}

/** Maximum length of the search text. */
export const MAX_TEXT_LENGTH = 200;

/** Parses the filter and the open video from the URL's search parameters. Invalid values are dropped. */
export const VideosSearch = z.object({
  show: VideoGroup.optional().catch(undefined),
  // Not trimmed: a space at the end begins the next word while typing.
  text: z.string().max(MAX_TEXT_LENGTH).optional().catch(undefined),
  video: VideoId.optional().catch(undefined),
});
export type VideosSearch = z.infer<typeof VideosSearch>;

/** The source of a new video: another job, or a draft to continue. */
export const NewVideoSearch = z.object({
  from: VideoId.optional().catch(undefined),
  draft: VideoId.optional().catch(undefined),
});
export type NewVideoSearch = z.infer<typeof NewVideoSearch>;

/** Converts search parameters to a filter; an empty one matches everything. */
export function toFilter({ show, text }: VideosSearch): VideoFilter {
  const label = text?.trim();
  return {
    ...(show === undefined ? {} : { states: [...GROUPS[show].states] }),
    ...(label ? { text: label } : {}),
  };
}

/** Counts the jobs of a group. */
export function countGroup(group: VideoGroup, counts: VideoPage['counts'] | undefined): number {
  return GROUPS[group].states.reduce((sum, state) => sum + (counts?.[state] ?? 0), 0);
}
