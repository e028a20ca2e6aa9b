import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useCalls } from '../../api/client.ts';

/** Returns a function that changes settings; every component shows the new values at once. */
export function useSettingsChange() {
  const calls = useCalls();
  const queries = useQueryClient();
  return useMutation(
    calls.settings.change.mutationOptions({
      onSuccess: (effectiveSettings) =>
        queries.setQueryData(calls.settings.get.queryKey(), effectiveSettings),
    }),
  );
}
