import { Switch } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { pluralize } from '../../../shared/format.ts';
import { DEFAULT_SETTINGS } from '../../../shared/settings.ts';
import { useCalls } from '../../api/client.ts';
import { toastError } from '../../hooks/toast.ts';

/** Says that requests and responses are kept, with a switch for it. */
export function KeepBodies() {
  const calls = useCalls();
  const queries = useQueryClient();
  const { data } = useQuery(calls.settings.get.queryOptions());
  const change = useMutation(
    calls.settings.change.mutationOptions({
      onSuccess: (settings) => queries.setQueryData(calls.settings.get.queryKey(), settings),
      onError: (error) => toastError('Could not save the change.', error),
    }),
  );
  if (data === undefined) return null;
  const { keepBodiesDays } = data.settings;
  const days = keepBodiesDays === 0 ? DEFAULT_SETTINGS.keepBodiesDays : keepBodiesDays;
  return (
    <Switch
      label={`Keep requests and responses on this computer for ${pluralize(days, 'day')}`}
      description="History then shows what a program sent and got. Keys are masked."
      checked={keepBodiesDays > 0}
      onChange={({ currentTarget }) =>
        change.mutate({
          keepBodiesDays: currentTarget.checked ? DEFAULT_SETTINGS.keepBodiesDays : 0,
        })
      }
    />
  );
}
