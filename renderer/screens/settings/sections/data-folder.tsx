import { Skeleton, Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { DataFolder } from '../../../../shared/settings.ts';
import { useCalls } from '../../../api/client.ts';
import { RelativeTime } from '../../../components/relative-time.tsx';
import { CopyField } from '../../../components/copy-field.tsx';
import { ErrorState } from '../../../components/states/error-state.tsx';
import { formatBytes, pluralize } from '../../../../shared/format.ts';
import { Panel } from '../../../components/panel.tsx';

/** Shows the path and the size of the data folder. */
export function DataSection() {
  const calls = useCalls();
  // Refreshed by time: no event reports that files grow.
  const data = useQuery(calls.settings.data.queryOptions({ staleTime: 0 }));
  return (
    <Panel title="Data">
      {data.isError && data.data === undefined ? (
        <ErrorState
          title="Could not load the data folder."
          error={data.error}
          onRetry={() => void data.refetch()}
        />
      ) : data.data === undefined ? (
        <Skeleton h={170} />
      ) : (
        <Folder folder={data.data} />
      )}
    </Panel>
  );
}

function Folder({ folder }: { readonly folder: DataFolder }) {
  const { path, files, exchanges, oldestAt } = folder;
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  return (
    <Stack gap="sm">
      <CopyField value={path} what="the path of the data folder" label="Data folder" />
      <Text size="sm">
        {pluralize(exchanges, 'exchange')}
        {oldestAt !== null && (
          <>
            , the oldest <RelativeTime at={oldestAt} />
          </>
        )}
        . Everything stays on this machine.
      </Text>
      <Table verticalSpacing={4} horizontalSpacing="xs" aria-label="Files in the data folder">
        <Table.Tbody>
          {files.map(({ name, bytes }) => (
            <Table.Tr key={name}>
              <Table.Td ff="monospace" fz="xs">
                {name}
              </Table.Td>
              <Table.Td ta="right">{formatBytes(bytes)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
        <Table.Tfoot>
          <Table.Tr>
            <Table.Th>Total</Table.Th>
            <Table.Td ta="right">{formatBytes(total)}</Table.Td>
          </Table.Tr>
        </Table.Tfoot>
      </Table>
    </Stack>
  );
}
