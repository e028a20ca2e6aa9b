import { Select } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ClientSummary } from '../../../shared/client.ts';
import { pluralize } from '../../../shared/format.ts';
import { useCalls } from '../../api/client.ts';
import { toastError } from '../../hooks/toast.ts';

const DAYS = [0, 1, 7, 30, 90];
const DEFAULT = 'default';

/** Chooses for how many days the requests and responses of a client are kept. */
export function KeepBodiesSelect({ client }: { readonly client: ClientSummary }) {
  const calls = useCalls();
  const queries = useQueryClient();
  const { data } = useQuery(calls.settings.get.queryOptions());
  const change = useMutation(
    calls.clients.setKeepBodies.mutationOptions({
      onSuccess: () => queries.invalidateQueries({ queryKey: calls.clients.key() }),
      onError: (error) => toastError(`Could not change what is kept of “${client.name}”.`, error),
    }),
  );
  const own = client.keepBodiesDays;
  const usual = data?.settings.keepBodiesDays;
  const all = [...new Set([...DAYS, ...(own === null ? [] : [own])])].toSorted((a, b) => a - b);
  return (
    <Select
      label="Keep requests and responses"
      size="xs"
      maw={260}
      disabled={change.isPending}
      allowDeselect={false}
      value={own === null ? DEFAULT : String(own)}
      data={[
        {
          value: DEFAULT,
          label: usual === undefined ? 'As in Settings' : `As in Settings: ${describeDays(usual)}`,
        },
        ...all.map((days) => ({ value: String(days), label: describeDays(days) })),
      ]}
      onChange={(value) =>
        change.mutate({
          id: client.id,
          days: value === null || value === DEFAULT ? null : Number(value),
        })
      }
    />
  );
}

function describeDays(days: number): string {
  return days === 0 ? 'none' : pluralize(days, 'day');
}
