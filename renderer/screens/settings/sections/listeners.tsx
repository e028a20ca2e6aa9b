import { ActionIcon, Autocomplete, Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { IconTrash } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { FurtherListener, toListenerOrigin } from '../../../../shared/connect/further-listener.ts';
import type { EffectiveSettings } from '../../../../shared/settings.ts';
import type { Status } from '../../../../shared/status.ts';
import { useCalls } from '../../../api/client.ts';
import { CopyField } from '../../../components/copy-field.tsx';
import { toMessage } from '../../../format/errors.ts';
import { toastError } from '../../../hooks/toast.ts';
import { Row } from '../setting-row.tsx';

/** The further addresses at which the proxy listens, for containers, virtual machines and WSL. */
export function Listeners() {
  const { data: status } = useQuery(useCalls().status.get.queryOptions());
  const [isAdding, setAdding] = useState(false);
  if (status === undefined) return null;
  return (
    <>
      <Row
        small
        label="Containers, WSL and virtual machines"
        about="They do not reach 127.0.0.1 of this machine. Gatehouse can listen at one more of its private addresses. A local key is needed there, too; what is sent is not encrypted. Choose one of a network inside this machine: that of a Wi-Fi may be yours in another network, too."
      >
        <Button variant="default" onClick={() => setAdding(!isAdding)} aria-expanded={isAdding}>
          Add an address
        </Button>
      </Row>
      {(isAdding || status.furtherListeners.length > 0) && (
        <Stack gap="xs" mb={14}>
          {isAdding && <AddListener onAdded={() => setAdding(false)} />}
          {status.furtherListeners.map((listener) => (
            <Listener key={listener.address} listener={listener} port={status.port} />
          ))}
        </Stack>
      )}
    </>
  );
}

/** Returns what shows changed settings at once, and the status after them. */
function useShowChange() {
  const calls = useCalls();
  const queries = useQueryClient();
  return async (settings: EffectiveSettings) => {
    queries.setQueryData(calls.settings.get.queryKey(), settings);
    await queries.invalidateQueries({ queryKey: calls.status.get.queryKey() });
  };
}

function AddListener({ onAdded }: { readonly onAdded: () => void }) {
  const calls = useCalls();
  const show = useShowChange();
  const { data: possible = [] } = useQuery(calls.settings.listeners.possible.queryOptions());
  const form = useForm({
    initialValues: { name: '', address: '' },
    validate: {
      address: (address) => firstIssue('address', address),
      name: (name) => firstIssue('name', name),
    },
  });
  const add = useMutation(
    calls.settings.listeners.add.mutationOptions({
      onSuccess: async (settings) => {
        await show(settings);
        onAdded();
      },
      onError: (error) => form.setFieldError('address', toMessage(error)),
    }),
  );
  const networkOf = (address: string) => possible.find((own) => own.address === address)?.network;
  return (
    <form onSubmit={form.onSubmit((values) => add.mutate(values))} noValidate>
      <Group gap="xs" align="flex-start">
        <Autocomplete
          {...form.getInputProps('address')}
          label="Address"
          placeholder="172.17.0.1"
          data={possible.map(({ address }) => address)}
          renderOption={({ option: { value } }) => (
            <Text size="sm">
              {value}{' '}
              <Text span c="dimmed">
                {networkOf(value)}
              </Text>
            </Text>
          )}
          flex={1}
          miw={180}
        />
        <TextInput
          {...form.getInputProps('name')}
          label="Name"
          placeholder="Docker"
          flex={1}
          miw={140}
        />
        <Button type="submit" mt={21} loading={add.isPending}>
          Listen there
        </Button>
      </Group>
    </form>
  );
}

function firstIssue(field: 'address' | 'name', value: string): string | null {
  return FurtherListener.shape[field].safeParse(value).error?.issues[0]?.message ?? null;
}

interface ListenerProps {
  readonly listener: Status['furtherListeners'][number];
  readonly port: number;
}

function Listener({ listener, port }: ListenerProps) {
  const calls = useCalls();
  const show = useShowChange();
  const remove = useMutation(
    calls.settings.listeners.remove.mutationOptions({
      onSuccess: show,
      onError: (error) => toastError('Could not remove the address.', error),
    }),
  );
  const { name, address, problem } = listener;
  const origin = toListenerOrigin(listener, port);
  return (
    <Group gap="xs" align="flex-end" wrap="nowrap" role="group" aria-label={name}>
      <div style={{ flex: 1, minWidth: 0 }}>
        <CopyField
          label={`${name}: Chat Completions, Responses (without /v1 for Messages)`}
          value={`${origin}/v1`}
          what={`the base address for ${name}`}
        />
        {problem !== null && (
          <Text size="sm" c="var(--gate-warn)" role="status">
            Nothing can connect there: {problem}
          </Text>
        )}
      </div>
      <ActionIcon
        variant="default"
        size="lg"
        aria-label={`Remove ${name}`}
        loading={remove.isPending}
        onClick={() => remove.mutate({ address })}
      >
        <IconTrash size={16} />
      </ActionIcon>
    </Group>
  );
}
