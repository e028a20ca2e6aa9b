import { useMutation, useQuery } from '@tanstack/react-query';
import { useCalls } from './client.ts';
import { toastError, toastSuccess } from '../hooks/toast.ts';

/** Returns the profiles of model aliases, the one in use (`null`: none), and what uses another one. */
export function useProfile() {
  const calls = useCalls();
  const { data } = useQuery(calls.status.get.queryOptions());
  const { mutate, isPending } = useMutation(
    calls.aliases.profiles.use.mutationOptions({
      onSuccess: (_done, { name }) =>
        toastSuccess(
          name === null
            ? 'No profile is used from the next request on.'
            : `The profile ${name} is used from the next request on.`,
        ),
      onError: (error) => toastError('Could not switch the profile.', error),
    }),
  );
  return {
    used: data?.profile ?? null,
    names: data?.profiles ?? [],
    isPending,
    use: (name: string | null) => mutate({ name }),
  };
}
