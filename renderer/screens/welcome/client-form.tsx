import { Alert, Button, Group, Select, Stack, TextInput } from '@mantine/core';
import { schemaResolver, useForm } from '@mantine/form';
import { IconPlugConnectedX } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { z } from 'zod';
import { ClientName, type NewClient } from '../../../shared/client.ts';
import { useCalls } from '../../api/client.ts';
import { toMessage } from '../../format/errors.ts';
import type { ClientTool } from '../../client-setup/client-tool.ts';
import { toolFilter } from '../../client-setup/tool-filter.ts';
import { TOOLS } from '../../client-setup/tools.ts';

/** A newly created client and its tool. */
export interface ConnectedClient {
  readonly tool: ClientTool;
  readonly made: NewClient;
}

interface ClientFormProps {
  readonly onConnected: (connected: ConnectedClient) => void;
}

const ClientFormValues = z.object({ tool: z.string().min(1, 'Pick a program.'), name: ClientName });
type ClientFormValues = z.infer<typeof ClientFormValues>;

/** Selects a tool, names the client and creates its local key. */
export function ClientForm({ onConnected }: ClientFormProps) {
  const calls = useCalls();
  const freeName = useFreeName();
  const form = useForm<ClientFormValues>({
    initialValues: { tool: '', name: '' },
    validate: schemaResolver(ClientFormValues, { sync: true }),
  });
  const tool = TOOLS.find(({ id }) => id === form.values.tool);
  const add = useMutation(
    calls.clients.add.mutationOptions({
      onSuccess: (made) => tool !== undefined && onConnected({ tool, made }),
      onError: (error) => form.setFieldError('name', toMessage(error)),
    }),
  );
  const pick = (id: string | null) => {
    const picked = TOOLS.find((each) => each.id === id);
    form.setValues({ tool: picked?.id ?? '', name: picked === undefined ? '' : freeName(picked) });
    form.clearErrors();
  };
  const barred = tool !== undefined && tool.supportsLocalhost !== true;
  return (
    <form
      onSubmit={form.onSubmit(({ name }) => add.mutate({ name }))}
      noValidate
      aria-label="Your first client"
    >
      <Stack gap="sm">
        <Select
          label="Program"
          description="Type to search. “Another program” works for everything else."
          placeholder="Claude Code, Codex, Cline…"
          searchable
          data={TOOLS.map(({ id, name }) => ({ value: id, label: name }))}
          filter={toolFilter}
          maxDropdownHeight={280}
          {...form.getInputProps('tool')}
          onChange={pick}
        />
        {barred ? (
          <Alert color="orange" icon={<IconPlugConnectedX />} title={`${tool.name} cannot connect`}>
            {tool.supportsLocalhost}
          </Alert>
        ) : (
          <TextInput
            label="Name"
            description="Shown in the history."
            autoComplete="off"
            {...form.getInputProps('name')}
          />
        )}
        <Group>
          <Button type="submit" loading={add.isPending} disabled={barred}>
            Create local key
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Returns a name for a tool's client that no other client has. */
function useFreeName(): (tool: ClientTool) => string {
  const { data } = useQuery(useCalls().clients.list.queryOptions());
  const taken = new Set(
    data?.filter(({ revokedAt }) => revokedAt === null).map(({ name }) => name.toLowerCase()),
  );
  return ({ id, name }) => {
    const clientName = id === 'another' ? 'My program' : name;
    let free = clientName;
    for (let count = 2; taken.has(free.toLowerCase()); count += 1) free = `${clientName} ${count}`;
    return free;
  };
}
