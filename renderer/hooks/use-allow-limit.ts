import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { LimitException, LimitId } from '../../shared/money/limit.ts';
import { useCalls } from '../api/client.ts';
import { toastError, toastSuccess } from './toast.ts';

const DONE: Readonly<Record<LimitException, string>> = {
  once: 'the next request that it would refuse passes.',
  hour: 'all requests pass for an hour.',
  none: 'it applies again.',
};

/** Lets pass what a limit would refuse. The message says which limit that is, e.g. `USD 5 per day`. */
export function useAllowLimit(limit: string) {
  const calls = useCalls();
  const queries = useQueryClient();
  const { mutate, isPending } = useMutation(
    calls.clients.limits.allow.mutationOptions({
      onSuccess: (_, { exception }) => toastSuccess(`${limit}: ${DONE[exception]}`),
      onError: (error) => toastError(`Could not allow more than ${limit}.`, error),
      onSettled: () =>
        Promise.all([
          queries.invalidateQueries({ queryKey: calls.clients.key() }),
          queries.invalidateQueries({ queryKey: calls.home.key() }),
        ]),
    }),
  );
  const allow = (id: LimitId, exception: LimitException) => mutate({ id, exception });
  return { allow, isPending };
}
