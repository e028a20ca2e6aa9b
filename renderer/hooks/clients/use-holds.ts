import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ClientId } from '../../../shared/client.ts';
import type { HeldRequest, HoldState } from '../../../shared/exchange/hold.ts';
import { useCalls } from '../../api/client.ts';
import { toastError } from '../toast.ts';

const NONE: HoldState = { next: [], held: [] };

/** Returns the requests that wait for a person, and the clients whose next one will; none while that is not known. */
export function useHolds(): HoldState {
  return useQuery(useCalls().clients.hold.list.queryOptions()).data ?? NONE;
}

/** Returns functions that make the next request of a client wait, or pass. */
export function useHoldNext({ id, name }: { readonly id: ClientId; readonly name: string }) {
  const calls = useCalls();
  const queries = useQueryClient();
  const onSettled = () => queries.invalidateQueries({ queryKey: calls.clients.hold.key() });
  const next = useMutation(
    calls.clients.hold.next.mutationOptions({
      onError: (error) => toastError(`The next request of “${name}” will not wait.`, error),
      onSettled,
    }),
  );
  const cancel = useMutation(
    calls.clients.hold.cancel.mutationOptions({
      onError: (error) => toastError(`The next request of “${name}” may still wait.`, error),
      onSettled,
    }),
  );
  return {
    holdNext: (seconds: number) => next.mutate({ id, seconds }),
    isChanging: next.isPending || cancel.isPending,
    cancel: () => cancel.mutate({ id }),
  };
}

/** Formats the time until a request goes on: `1:05`. It stays within its bounds when the clock is moved. */
export function formatRemaining({ heldAt, until }: HeldRequest, now: number): string {
  const restMs = Math.min(until - heldAt, Math.max(0, until - now));
  const rest = Math.ceil(restMs / 1_000);
  return `${Math.floor(rest / 60)}:${String(rest % 60).padStart(2, '0')}`;
}
