import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ClientSummary, NewClient } from '../../../shared/client.ts';
import { useCalls } from '../../api/client.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { useRestoreFocus } from '../../hooks/open-dialog.ts';
import { toastSuccess, toastError } from '../../hooks/toast.ts';
import { KeyDialog } from './key-dialog.tsx';
import { NameDialog } from './name-dialog.tsx';

/** The actions on an existing client. */
export type ChangeName = 'rename' | 'renew' | 'revoke';

/** The open dialog and its client. */
export type ClientDialogState =
  | { readonly kind: 'add' }
  | { readonly kind: ChangeName; readonly client: ClientSummary }
  | { readonly kind: 'show'; readonly made: NewClient };

interface ClientDialogProps {
  readonly dialog: ClientDialogState;
  /** Opens the next dialog, or closes it with none. */
  readonly onNext: (next: ClientDialogState | null) => void;
}

/** Shows the dialog for an action on a client. */
export function ClientDialog({ dialog, onNext }: ClientDialogProps) {
  useRestoreFocus();
  const close = (): void => onNext(null);
  switch (dialog.kind) {
    case 'add':
      return <Add onNext={onNext} />;
    case 'rename':
      return <Rename client={dialog.client} onClose={close} />;
    case 'renew':
      return <Renew client={dialog.client} onNext={onNext} />;
    case 'revoke':
      return <Revoke client={dialog.client} onClose={close} />;
    case 'show':
      return <KeyDialog made={dialog.made} onClose={close} />;
  }
}

/** Returns a function that fetches the clients again. */
function useRefetchClients(): () => Promise<void> {
  const calls = useCalls();
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: calls.clients.key() });
}

function Add({ onNext }: Pick<ClientDialogProps, 'onNext'>) {
  const reread = useRefetchClients();
  const add = useMutation(
    useCalls().clients.add.mutationOptions({
      onSuccess: (made) => {
        onNext({ kind: 'show', made });
        return reread();
      },
    }),
  );
  return (
    <NameDialog
      title="Add a client"
      about="Add a client for each program, so that History shows them separately and you can revoke each on its own."
      name=""
      action="Create local key"
      pending={add.isPending}
      onName={(name) => add.mutateAsync({ name })}
      onClose={() => onNext(null)}
    />
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

function Renew({
  client,
  onNext,
}: Pick<OneClientProps, 'client'> & Pick<ClientDialogProps, 'onNext'>) {
  const reread = useRefetchClients();
  const renew = useMutation(
    useCalls().clients.renew.mutationOptions({
      onSuccess: (made) => {
        onNext({ kind: 'show', made });
        return reread();
      },
      onError: (error) => toastError(`Could not create a new key for ${client.name}.`, error),
    }),
  );
  return (
    <ConfirmDialog
      opened
      title={`A new local key for ${client.name}`}
      action="Create new key"
      busy={renew.isPending}
      onConfirm={() => renew.mutate({ id: client.id })}
      onClose={() => onNext(null)}
    >
      The old key stops working immediately: programs that use it are refused until they have the
      new one. Requests in progress finish.
    </ConfirmDialog>
  );
}

function Revoke({ client, onClose }: OneClientProps) {
  const reread = useRefetchClients();
  const revoke = useMutation(
    useCalls().clients.revoke.mutationOptions({
      onSuccess: () => {
        onClose();
        toastSuccess(`${client.name} is revoked.`);
        return reread();
      },
      onError: (error) => toastError(`Could not revoke ${client.name}.`, error),
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
    </ConfirmDialog>
  );
}
