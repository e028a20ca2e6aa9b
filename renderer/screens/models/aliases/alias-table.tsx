import { ActionIcon, Group, Table, Text, Tooltip, VisuallyHidden } from '@mantine/core';
import { IconPencil, IconTrash } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { DEFAULT_ALIAS, type ModelAlias } from '../../../../shared/model-alias.ts';
import { useCalls } from '../../../api/client.ts';
import { toastError } from '../../../hooks/toast.ts';

interface AliasTableProps {
  readonly label: string;
  readonly aliases: readonly ModelAlias[];
  readonly onChange: (alias: ModelAlias) => void;
}

/** Lists aliases, and removes them. */
export function AliasTable({ label, aliases, onChange }: AliasTableProps) {
  const { data: clients } = useQuery(useCalls().clients.list.queryOptions());
  if (aliases.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        None yet.
      </Text>
    );
  }
  const toClientName = (id: string | null) =>
    id === null ? 'Every client' : (clients?.find((client) => client.id === id)?.name ?? 'Removed');
  return (
    <Table aria-label={label} layout="fixed" verticalSpacing={4}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Name</Table.Th>
          <Table.Th>Model</Table.Th>
          <Table.Th w={120}>Client</Table.Th>
          <Table.Th w={76}>
            <VisuallyHidden>Actions</VisuallyHidden>
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {aliases.map((alias) => (
          <Table.Tr key={alias.id}>
            <Table.Td style={{ overflowWrap: 'anywhere' }}>
              {alias.name === DEFAULT_ALIAS ? 'Any unknown name (*)' : alias.name}
            </Table.Td>
            <Table.Td style={{ overflowWrap: 'anywhere' }}>
              {alias.model}
              {alias.effort !== null && (
                <Text span size="xs" c="dimmed">
                  {' '}
                  effort {alias.effort}
                </Text>
              )}
            </Table.Td>
            <Table.Td style={{ overflowWrap: 'anywhere' }}>{toClientName(alias.clientId)}</Table.Td>
            <Table.Td>
              <AliasActions alias={alias} onChange={() => onChange(alias)} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function AliasActions({
  alias,
  onChange,
}: {
  readonly alias: ModelAlias;
  readonly onChange: () => void;
}) {
  const remove = useMutation(
    useCalls().aliases.remove.mutationOptions({
      onError: (error) => toastError(`Could not remove the alias ${alias.name}.`, error),
    }),
  );
  return (
    <Group gap={4} wrap="nowrap">
      <Tooltip label="Change">
        <ActionIcon
          variant="subtle"
          color="gray"
          size="sm"
          aria-label={`Change the alias ${alias.name}`}
          onClick={onChange}
        >
          <IconPencil size={15} />
        </ActionIcon>
      </Tooltip>
      <Tooltip label="Remove">
        <ActionIcon
          variant="subtle"
          color="gray"
          size="sm"
          aria-label={`Remove the alias ${alias.name}`}
          loading={remove.isPending}
          onClick={() => remove.mutate({ id: alias.id })}
        >
          <IconTrash size={15} />
        </ActionIcon>
      </Tooltip>
    </Group>
  );
}
