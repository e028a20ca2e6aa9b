import { useQuery } from '@tanstack/react-query';
import { useCalls } from '../api/client.ts';
import { RUNNING_VIDEO_STATES } from '../../shared/video-states.ts';

/** Maximum number of jobs that are watched for their end. */
const MAX_WATCHED = 200;

/** Returns the videos that progress by themselves, now or later, and the number of jobs in each state. */
export function useActiveVideos() {
  const filter = { states: [...RUNNING_VIDEO_STATES] };
  return useQuery(useCalls().videos.page.queryOptions({ input: { filter, limit: MAX_WATCHED } }));
}
