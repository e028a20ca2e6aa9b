import { useQuery } from '@tanstack/react-query';
import { useCalls } from '../api/client.ts';
import { RUNNING_VIDEO_STATES } from '../../shared/video-states.ts';

/** So many jobs are watched for their end. */
const MAX_WATCHED = 200;

/** The videos that go on by themselves, now or later, and how many there are in each state. */
export function useActiveVideos() {
  const filter = { states: [...RUNNING_VIDEO_STATES] };
  return useQuery(useCalls().videos.page.queryOptions({ input: { filter, limit: MAX_WATCHED } }));
}
