import { useQuery } from '@tanstack/react-query';
import { useCalls } from '../client/client.ts';
import { UNDER_WAY } from '../parts/video-words.ts';

/** So many jobs are watched for their end. */
const MOST_WATCHED = 200;

/** The videos that go on by themselves, now or later, and how many there are in each state. */
export function useVideosUnderWay() {
  const filter = { states: ['waiting' as const, ...UNDER_WAY] };
  return useQuery(useCalls().videos.page.queryOptions({ input: { filter, limit: MOST_WATCHED } }));
}
