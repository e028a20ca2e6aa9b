import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useCalls } from '../../api/client.ts';

/** Changes settings; what then holds is on screen at once, in every part of it. */
export function useSettingsChange() {
  const calls = useCalls();
  const queries = useQueryClient();
  return useMutation(
    calls.settings.change.mutationOptions({
      onSuccess: (inForce) => queries.setQueryData(calls.settings.get.queryKey(), inForce),
    }),
  );
}
