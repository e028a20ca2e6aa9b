import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { ModelList } from '../../shared/model.ts';
import { useCalls } from './client.ts';

/** Has the service asked for its models anew. `onError` is told what stands in the way. */
export function useModelRefresh(onError?: (error: Error) => void) {
  const calls = useCalls();
  const queries = useQueryClient();
  return useMutation(
    calls.models.refresh.mutationOptions({
      // The service in use may have changed meanwhile: the list is asked for, not taken from here.
      onSuccess: () => queries.invalidateQueries({ queryKey: calls.models.list.key() }),
      ...(onError !== undefined && { onError }),
    }),
  );
}

/** Asks for a list that nobody has asked for yet, once. Returns whether nothing is known of it so far. */
export function useFirstFetch(
  list: ModelList | undefined,
  { isIdle, isSuccess, mutate, reset }: ReturnType<typeof useModelRefresh>,
): boolean {
  const isNeverFetched = list?.fetchedAt === null && list.problem === null;
  useEffect(() => {
    if (isNeverFetched && isIdle) mutate(undefined);
    // Another service may follow, and its list is unknown again.
    if (!isNeverFetched && isSuccess) reset();
  }, [isNeverFetched, isIdle, isSuccess, mutate, reset]);
  return isNeverFetched && !isSuccess;
}

/** The models of the service in use to choose from: none while they are unknown, and none when they cannot be had. */
export function useModelChoice(): ModelList['models'] {
  const { data } = useQuery(useCalls().models.list.queryOptions());
  useFirstFetch(data, useModelRefresh());
  return data?.models ?? [];
}
