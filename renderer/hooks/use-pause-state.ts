import { useMutation, useQuery } from '@tanstack/react-query';
import { useCalls } from '../api/client.ts';
import { toastError } from './toast.ts';

/** Returns whether Gatehouse is paused; `false` while that is unknown. */
export function useIsPaused(): boolean {
  const { data } = useQuery(useCalls().status.get.queryOptions());
  return data?.paused === true;
}

/**
 * Returns whether Gatehouse is paused and functions that change it; the engine reports the change to all windows. Each function sets
 * a state, so that a press in two windows at the same moment does no harm.
 */
export function usePauseState() {
  const calls = useCalls();
  const { data } = useQuery(calls.status.get.queryOptions());
  const pause = useMutation(
    calls.status.pause.mutationOptions({
      onError: (error) => toastError('Could not pause Gatehouse.', error),
    }),
  );
  const resume = useMutation(
    calls.status.resume.mutationOptions({
      onError: (error) => toastError('Could not resume Gatehouse.', error),
    }),
  );
  return {
    paused: data?.paused === true,
    /** Unix milliseconds; `null` while it is not paused. */
    pausedAt: data?.pausedAt ?? null,
    isKnown: data !== undefined,
    pause: () => pause.mutate(undefined),
    resume: () => resume.mutate(undefined),
  };
}
