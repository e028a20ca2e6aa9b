import { useQuery } from '@tanstack/react-query';
import { isFree } from '../../shared/money/charge.ts';
import { useCalls } from '../api/client.ts';

/** Returns whether requests cost nothing, because the sandbox is in use; `false` while that is unknown. */
export function useIsFree(): boolean {
  const { data } = useQuery(useCalls().status.get.queryOptions());
  return data !== undefined && isFree(data.upstream.id);
}
