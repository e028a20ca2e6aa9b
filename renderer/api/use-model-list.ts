import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { makesVideos } from '../../shared/model-metadata/model-statements.ts';
import type { ModelList } from '../../shared/model.ts';
import { useCalls } from './client.ts';

/** Returns a function that makes the engine fetch the service's models again. `onError` receives the cause of a failure. */
export function useModelRefresh(onError?: (error: Error) => void) {
  const calls = useCalls();
  const queries = useQueryClient();
  return useMutation(
    calls.models.refresh.mutationOptions({
      // The service in use may have changed meanwhile: the list is fetched again rather than taken from this response.
      onSuccess: () => queries.invalidateQueries({ queryKey: calls.models.list.key() }),
      ...(onError !== undefined && { onError }),
    }),
  );
}

/** Requests the model list once when it was never fetched. Returns whether it is still unknown. */
export function useFirstFetch(
  list: ModelList | undefined,
  { isIdle, isSuccess, mutate, reset }: ReturnType<typeof useModelRefresh>,
): boolean {
  const isNeverFetched = list?.fetchedAt === null && list.problem === null;
  useEffect(() => {
    if (isNeverFetched && isIdle) mutate(undefined);
    // The list is unknown again after a change of the service.
    if (!isNeverFetched && isSuccess) reset();
  }, [isNeverFetched, isIdle, isSuccess, mutate, reset]);
  return isNeverFetched && !isSuccess;
}

/** Returns the selectable models of the service in use: empty while they are unknown or unavailable. */
export function useModelChoice(): ModelList['models'] {
  return useCurrentModelList()?.models ?? [];
}

/** Returns the model list of the service in use, and fetches it when it never was; only while `enabled`. */
export function useCurrentModelList(enabled = true): ModelList | undefined {
  const { data } = useQuery(useCalls().models.list.queryOptions({ enabled }));
  useFirstFetch(enabled ? data : undefined, useModelRefresh());
  return data;
}

/** Returns the ids of the models for text, each once; `undefined` until the list was fetched, or could not be. */
export function listTextModels(list: ModelList | undefined): readonly string[] | undefined {
  const isKnown = list !== undefined && (list.fetchedAt !== null || list.problem !== null);
  if (!isKnown) return undefined;
  const models = list.models.filter(({ model }) => !makesVideos(model));
  return [...new Set(models.map(({ model }) => model.id))];
}
