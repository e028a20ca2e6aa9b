import { TagsInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ClientSummary } from '../../../../shared/client.ts';
import { toPattern } from '../../../../shared/name-pattern.ts';
import { useCalls } from '../../../api/client.ts';
import { toastError } from '../../../hooks/toast.ts';

/** Chooses which models a client may use; none chosen are all. */
export function AllowedModels({ client }: { readonly client: ClientSummary }) {
  const calls = useCalls();
  const queries = useQueryClient();
  const { data: list } = useQuery(calls.models.list.queryOptions());
  const change = useMutation(
    calls.clients.setModels.mutationOptions({
      onSettled: () => queries.invalidateQueries({ queryKey: calls.clients.key() }),
      onError: (error) => toastError(`Could not change the models of “${client.name}”.`, error),
    }),
  );
  const models = change.isPending ? change.variables.models : client.models;
  return (
    <TagsInput
      label="Models that it may use"
      description="Enter ends a name; * stands for any characters. Empty: all models."
      placeholder={models === null ? 'All models' : ''}
      size="xs"
      value={[...(models ?? [])]}
      data={list?.models.map(({ model }) => toPattern(model.id)) ?? []}
      maxTags={100}
      comboboxProps={{ withinPortal: false }}
      clearable
      acceptValueOnBlur={false}
      disabled={change.isPending}
      onChange={(value) =>
        change.mutate({ id: client.id, models: value.length === 0 ? null : value })
      }
    />
  );
}
