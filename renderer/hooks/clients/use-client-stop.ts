import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ClientId } from '../../../shared/client.ts';
import { useCalls } from '../../api/client.ts';
import { toastError, toastSuccess } from '../toast.ts';

/** Stops a client, or lets it go on. */
export function useClientStop({ id, name }: { readonly id: ClientId; readonly name: string }) {
  const calls = useCalls();
  const queries = useQueryClient();
  const onSettled = () =>
    Promise.all([
      queries.invalidateQueries({ queryKey: calls.home.attention.key() }),
      queries.invalidateQueries({ queryKey: calls.clients.key() }),
    ]);
  const stop = useMutation(
    calls.clients.stop.mutationOptions({
      onSuccess: () => toastSuccess(`“${name}” was stopped.`),
      onError: (error) => toastError(`Could not stop “${name}”.`, error),
      onSettled,
    }),
  );
  const resume = useMutation(
    calls.clients.resume.mutationOptions({
      onSuccess: () => toastSuccess(`“${name}” goes on.`),
      onError: (error) => toastError(`Could not let “${name}” go on.`, error),
      onSettled,
    }),
  );
  return {
    stop: () => stop.mutate({ id }),
    isStopping: stop.isPending,
    resume: () => resume.mutate({ id }),
    isResuming: resume.isPending,
  };
}
