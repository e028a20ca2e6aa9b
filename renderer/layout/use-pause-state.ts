import { useMutation, useQuery } from '@tanstack/react-query';
import { useCalls } from '../api/client.ts';
import { toastError } from '../hooks/toast.ts';

/** Returns whether Gatehouse is paused and functions that change it; the engine reports the change. */
export function usePauseState() {
  const calls = useCalls();
  const { data } = useQuery(calls.status.get.queryOptions());
  const pause = useMutation(
    calls.status.pause.mutationOptions({
      onError: (error) => toastError('Could not pause Gatehouse', error),
    }),
  );
  const resume = useMutation(
    calls.status.resume.mutationOptions({
      onError: (error) => toastError('Could not resume Gatehouse', error),
    }),
  );
  return {
    paused: data?.paused === true,
    pause: () => pause.mutate(undefined),
    resume: () => resume.mutate(undefined),
  };
}
