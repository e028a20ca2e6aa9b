import { Modal, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ClientSummary, NewClient } from '../../../shared/client.ts';
import { useState } from 'react';
import type { Expiry } from '../../../shared/client.ts';
import { useCalls } from '../../api/client.ts';
import { ClientForm } from '../../client-setup/client-form.tsx';
import type { ClientTool } from '../../../shared/client-setup/client-tool.ts';
import { findRemainingExpiry } from '../../client-setup/expiry.ts';
import { ExpirySelect } from '../../client-setup/expiry-select.tsx';
import {
  type ConnectedProgram,
  findProgramOf,
  usePrograms,
} from '../../client-setup/connect/use-programs.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { useRestoreFocus } from '../../hooks/keyboard/open-dialog.ts';
import { toastSuccess, toastError } from '../../hooks/toast.ts';
import { ConnectDialog } from './connect/connect-dialog.tsx';
import { DisconnectDialog } from './connect/disconnect-dialog.tsx';
import { ExpiryDialog } from './expiry-dialog.tsx';
import { KeyDialog } from './key-dialog.tsx';
import { NameDialog } from './name-dialog.tsx';

/** The actions on an existing client. */
export type ChangeName = 'rename' | 'expiry' | 'renew' | 'revoke';

/** The open dialog and its client, its tool, or its program. */
export type ClientDialogState =
  | { readonly kind: 'add'; readonly tool?: ClientTool }
  | { readonly kind: 'connect'; readonly program?: string | undefined }
  | { readonly kind: 'disconnect'; readonly program: ConnectedProgram }
  | { readonly kind: ChangeName; readonly client: ClientSummary }
  | { readonly kind: 'show'; readonly made: NewClient; readonly tool?: ClientTool };

interface ClientDialogProps {
  readonly dialog: ClientDialogState;
  /** The model that the person came with. */
  readonly model: string | undefined;
  /** Opens the next dialog, or closes it with none. */
  readonly onNext: (next: ClientDialogState | null) => void;
}

/** Shows the dialog for an action on a client. */
export function ClientDialog({ dialog, model, onNext }: ClientDialogProps) {
  useRestoreFocus();
  const close = (): void => onNext(null);
  switch (dialog.kind) {
    case 'add':
      return <Add tool={dialog.tool} model={model} onNext={onNext} />;
    case 'connect':
      return (
        <ConnectDialog
          program={dialog.program}
          model={model}
          onTool={(tool) => onNext({ kind: 'add', tool })}
          onClose={close}
        />
      );
    case 'disconnect':
      return <DisconnectDialog program={dialog.program} onClose={close} />;
    case 'rename':
      return <Rename client={dialog.client} onClose={close} />;
    case 'expiry':
      return <ExpiryDialog client={dialog.client} onClose={close} />;
    case 'renew':
      return <Renew client={dialog.client} onNext={onNext} />;
    case 'revoke':
      return <Revoke client={dialog.client} onClose={close} />;
    case 'show':
      return <KeyDialog made={dialog.made} tool={dialog.tool} model={model} onClose={close} />;
  }
}

/** Returns a function that fetches the clients again. */
function useRefetchClients(): () => Promise<void> {
  const calls = useCalls();
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: calls.clients.key() });
}

interface AddProps extends Pick<ClientDialogProps, 'model' | 'onNext'> {
  /** The tool that is chosen already. */
  readonly tool: ClientTool | undefined;
}

function Add({ tool: first, model, onNext }: AddProps) {
  const close = (): void => onNext(null);
  return (
    <Modal opened onClose={close} title="Add a client" closeButtonProps={{ 'aria-label': 'Close' }}>
      <Text size="sm" c="dimmed" mb="sm">
        Add a client for each program, so that History shows them separately and you can revoke each
        on its own.
        {model !== undefined &&
          ` Its settings will use ${model}. For a client that you have already, close this and open it in the list.`}
      </Text>
      <ClientForm
        label="Add a client"
        tool={first}
        onConnected={({ made, tool }) => onNext({ kind: 'show', made, tool })}
        onConnect={({ id }) => onNext({ kind: 'connect', program: id })}
        onCancel={close}
      />
    </Modal>
  );
}

interface OneClientProps {
  readonly client: ClientSummary;
  readonly onClose: () => void;
}

function Rename({ client, onClose }: OneClientProps) {
  const reread = useRefetchClients();
  const rename = useMutation(
    useCalls().clients.rename.mutationOptions({
      onSuccess: () => {
        onClose();
        return reread();
      },
    }),
  );
  return (
    <NameDialog
      title={`Rename ${client.name}`}
      about="Its local key stays the same. Earlier requests keep the old name in History."
      name={client.name}
      action="Rename"
      pending={rename.isPending}
      onName={(name) => rename.mutateAsync({ id: client.id, name })}
      onClose={onClose}
    />
  );
}

/** Returns the program that was connected as a client; `undefined` when there is none. */
function useProgramOf({ id }: ClientSummary): ConnectedProgram | undefined {
  const { data = [] } = usePrograms();
  return findProgramOf(data, id);
}

function Renew({
  client,
  onNext,
}: Pick<OneClientProps, 'client'> & Pick<ClientDialogProps, 'onNext'>) {
  const reread = useRefetchClients();
  const program = useProgramOf(client);
  const [current] = useState(() => findRemainingExpiry(client, Date.now()));
  const [expiresAt, setExpiresAt] = useState<Expiry | undefined>(current);
  const renew = useMutation(
    useCalls().clients.renew.mutationOptions({
      onSuccess: (made) => {
        onNext({ kind: 'show', made });
        return reread();
      },
      onError: (error) => toastError(`Could not create a new key for “${client.name}”.`, error),
    }),
  );
  return (
    <ConfirmDialog
      opened
      title={`A new local key for ${client.name}`}
      action="Create new key"
      busy={renew.isPending}
      onConfirm={() => expiresAt !== undefined && renew.mutate({ id: client.id, expiresAt })}
      onClose={() => onNext(null)}
    >
      <Text size="sm" mb="sm">
        The old key stops working immediately: programs that use it are refused until they have the
        new one. Requests in progress finish.
        {program !== undefined &&
          ` The settings of ${program.name} keep the old key. To write a new one there, press “Connect again” afterwards.`}
      </Text>
      <ExpirySelect current={current} onChange={setExpiresAt} />
    </ConfirmDialog>
  );
}

function Revoke({ client, onClose }: OneClientProps) {
  const reread = useRefetchClients();
  const program = useProgramOf(client);
  const revoke = useMutation(
    useCalls().clients.revoke.mutationOptions({
      onSuccess: () => {
        onClose();
        toastSuccess(`“${client.name}” was revoked.`);
        return reread();
      },
      onError: (error) => toastError(`Could not revoke “${client.name}”.`, error),
    }),
  );
  return (
    <ConfirmDialog
      opened
      title={`Revoke ${client.name}`}
      action="Revoke"
      busy={revoke.isPending}
      onConfirm={() => revoke.mutate({ id: client.id })}
      onClose={onClose}
    >
      Programs using this key will be refused. Requests in progress finish, and the history of the
      client stays. This cannot be undone; you can add a new client at any time.
      {program !== undefined && ` The settings of ${program.name} are put back at the same time.`}
    </ConfirmDialog>
  );
}
