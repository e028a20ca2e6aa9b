import type { VideoFilter, VideoId, VideoPage, VideoState } from '../../../shared/video/video.ts';
import { PERSON_VIDEO_STATES, ACTIVE_VIDEO_STATES } from '../../../shared/video/video-states.ts';
import { oneOf, readId, type SearchOf, searchReader, textUpTo } from '../../search-params.ts';

/** Groups of states, as a person filters them. */
export const VIDEO_GROUPS = [
  'person',
  'drafts',
  'waiting',
  'under-way',
  'done',
  'failed',
  'stopped',
] as const;
export type VideoGroup = (typeof VIDEO_GROUPS)[number];

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

const VIDEOS = {
  show: oneOf(VIDEO_GROUPS),
  // Not trimmed: a space at the end begins the next word while typing.
  text: textUpTo(MAX_TEXT_LENGTH),
  video: readId<VideoId>,
};
export type VideosSearch = SearchOf<typeof VIDEOS>;

/** Reads the filter and the open video from the URL's search parameters. Invalid values are dropped. */
export const readVideosSearch = searchReader(VIDEOS);

/** Reads the source of a new video: another job, or a draft to continue. */
export const readNewVideoSearch = searchReader({ from: readId<VideoId>, draft: readId<VideoId> });

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
