import { Alert, Button, Group, Stack, TextInput, type TextInputProps } from '@mantine/core';
import { schemaResolver, useForm } from '@mantine/form';
import { IconPlugConnectedX } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { z } from 'zod';
import { ClientName, type Expiry, type NewClient } from '../../shared/client.ts';
import { findFreeName } from '../../shared/free-name.ts';
import { useCalls } from '../api/client.ts';
import { toMessage } from '../format/errors.ts';
import type { ClientTool } from '../../shared/client-setup/client-tool.ts';
import type { ProgramState } from '../../shared/connect/connection.ts';
import { ConnectOffer } from './connect/connect-offer.tsx';
import { useConnectOffer } from './connect/use-connect-offer.ts';
import { ExpirySelect } from './expiry-select.tsx';
import { ToolSelect } from './tool-select.tsx';
import { TOOLS } from '../../shared/client-setup/tools.ts';

/** A newly created client and its tool. */
export interface ConnectedClient {
  readonly tool: ClientTool;
  readonly made: NewClient;
}

interface ClientFormProps {
  readonly label: string;
  /** The tool that is chosen at first. */
  readonly tool?: ClientTool | undefined;
  readonly onConnected: (connected: ConnectedClient) => void;
  /** Offers to connect a program that was found on this machine; called when the person accepts. */
  readonly onConnect?: (program: ProgramState) => void;
  /** Shows a button that leaves the form. */
  readonly onCancel?: () => void;
}

const ClientFormValues = z.object({ tool: z.string().min(1, 'Pick a program.'), name: ClientName });
type ClientFormValues = z.infer<typeof ClientFormValues>;

/** Selects a tool, names the client, decides when its key expires, and creates its local key. */
export function ClientForm(props: ClientFormProps) {
  const { label, tool: first, onConnected, onConnect, onCancel } = props;
  const { findFree } = useNames();
  const form = useForm<ClientFormValues>({
    initialValues:
      first === undefined ? { tool: '', name: '' } : { tool: first.id, name: findFree(first) },
    validate: schemaResolver(ClientFormValues, { sync: true }),
  });
  const [expiresAt, setExpiresAt] = useState<Expiry | undefined>(null);
  const offer = useConnectOffer(form.values.tool, onConnect !== undefined);
  const { offered, withoutTool, isLooking } = offer;
  const tool = TOOLS.find(({ id }) => id === form.values.tool);
  const add = useAddClient({
    onAdded: (made) => tool !== undefined && onConnected({ tool, made }),
    onRefused: (message) => form.setFieldError('name', message),
  });
  const pick = (id: string | null) => {
    const picked = TOOLS.find((each) => each.id === id);
    form.setValues({ tool: id ?? '', name: picked === undefined ? '' : findFree(picked) });
    form.clearErrors();
  };
  const barred = tool !== undefined && tool.supportsLocalhost !== true;
  const create = form.onSubmit(({ name }) => {
    if (expiresAt !== undefined) add.mutate({ name, expiresAt });
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    if (offered === undefined) create(event);
    else onConnect?.(offered);
  };
  return (
    <form onSubmit={submit} noValidate aria-label={label}>
      <Stack gap="sm">
        <ToolSelect programs={withoutTool} {...form.getInputProps('tool')} onChange={pick} />
        {barred && <CannotConnect tool={tool} />}
        {offered !== undefined && (
          <ConnectOffer
            program={offered}
            onByHand={tool === undefined ? null : offer.chooseByHand}
          />
        )}
        {tool !== undefined && !barred && offered === undefined && !isLooking && (
          <>
            <NameInput tool={tool} {...form.getInputProps('name')} />
            <ExpirySelect current={null} onChange={setExpiresAt} />
          </>
        )}
        <FormButtons
          pending={add.isPending || isLooking}
          disabled={barred}
          canCreate={offered === undefined}
          onCancel={onCancel}
        />
      </Stack>
    </form>
  );
}

function NameInput({ tool: { name }, ...input }: TextInputProps & { readonly tool: ClientTool }) {
  const { isTaken } = useNames();
  const description = isTaken(name)
    ? `There is a client “${name}” already, and what you set for it does not hold for this new one. To use that one, enter its local key in the program instead.`
    : 'Shown in the history.';
  return <TextInput label="Name" description={description} autoComplete="off" {...input} />;
}

function CannotConnect({ tool: { name, supportsLocalhost } }: { readonly tool: ClientTool }) {
  return (
    <Alert color="orange" icon={<IconPlugConnectedX />} title={`${name} cannot connect`}>
      {supportsLocalhost}
    </Alert>
  );
}

interface FormButtonsProps {
  readonly pending: boolean;
  readonly disabled: boolean;
  /** Whether the form creates a local key. */
  readonly canCreate: boolean;
  readonly onCancel: (() => void) | undefined;
}

function FormButtons({ pending, disabled, canCreate, onCancel }: FormButtonsProps) {
  if (!canCreate && onCancel === undefined) return null;
  return (
    <Group gap="xs" justify={onCancel === undefined ? 'flex-start' : 'flex-end'}>
      {onCancel !== undefined && (
        <Button variant="default" onClick={onCancel}>
          Cancel
        </Button>
      )}
      {canCreate && (
        <Button type="submit" loading={pending} disabled={disabled}>
          Create local key
        </Button>
      )}
    </Group>
  );
}

interface AddClientOptions {
  readonly onAdded: (made: NewClient) => void;
  readonly onRefused: (message: string) => void;
}

function useAddClient({ onAdded, onRefused }: AddClientOptions) {
  const calls = useCalls();
  const queries = useQueryClient();
  return useMutation(
    calls.clients.add.mutationOptions({
      onSuccess: (made) => {
        onAdded(made);
        return queries.invalidateQueries({ queryKey: calls.clients.key() });
      },
      onError: (error) => onRefused(toMessage(error)),
    }),
  );
}

/** Returns functions over the names of the clients: one finds a free name for a tool's client, one says whether a name is taken. */
function useNames() {
  const { data = [] } = useQuery(useCalls().clients.list.queryOptions());
  const names = data.filter(({ revokedAt }) => revokedAt === null).map(({ name }) => name);
  return {
    findFree: ({ id, name }: ClientTool) =>
      findFreeName(id === 'another' ? 'My program' : name, names),
    isTaken: (name: string) => findFreeName(name, names) !== name,
  };
}
