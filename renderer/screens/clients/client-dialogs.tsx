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
      about="Give each program a client of its own: the history then tells them apart, and you can revoke one without the others."
      name=""
      action="Make its local key"
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
      about="Its local key stays as it is. Requests that are in the history keep the old name."
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
      onError: (error) => toastError(`${client.name} keeps its old key.`, error),
    }),
  );
  return (
    <ConfirmDialog
      opened
      title={`A new local key for ${client.name}`}
      action="Make a new key"
      busy={renew.isPending}
      onConfirm={() => renew.mutate({ id: client.id })}
      onClose={() => onNext(null)}
    >
      The old key stops working at once: whatever uses it is refused until you give it the new one.
      Answers on their way are finished.
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
      onError: (error) => toastError(`${client.name} was not revoked.`, error),
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
      Programs using this key will be refused and cannot reach the service any more. Answers on
      their way are finished, and its history stays. This cannot be taken back; you can add a new
      client at any time.
    </ConfirmDialog>
  );
}
