import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCalls } from './client.ts';
import type { VideoJob } from '../../shared/video/video.ts';
import { RUNNING_VIDEO_STATES } from '../../shared/video/video-states.ts';

/** Maximum number of jobs that are watched for their end. */
const MAX_WATCHED = 200;

/** Returns the videos that progress by themselves, now or later, and the number of jobs in each state. */
export function useActiveVideos() {
  return useQuery(useOptions());
}

/**
 * Returns a function that refreshes the lists of videos. New active ones are added at once, so that the end of a video is
 * noticed even when it comes before the refresh.
 */
export function useRefreshVideos(): (added: readonly VideoJob[]) => void {
  const { videos } = useCalls();
  const { queryKey } = useOptions();
  const queries = useQueryClient();
  return (added) => {
    queries.setQueryData(
      queryKey,
      (page) => page && { ...page, jobs: [...added, ...page.jobs].slice(0, MAX_WATCHED) },
    );
    void queries.invalidateQueries({ queryKey: videos.page.key() });
  };
}

function useOptions() {
  const filter = { states: [...RUNNING_VIDEO_STATES] };
  return useCalls().videos.page.queryOptions({ input: { filter, limit: MAX_WATCHED } });
}
