import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ClientSummary, NewClient } from '../../../shared/client.ts';
import { useCalls } from '../../client/client.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { useFocusBack } from '../../parts/open-dialog.ts';
import { sayDone, sayFailed } from '../../parts/said.ts';
import { KeyDialog } from './key-dialog.tsx';
import { NameDialog } from './name-dialog.tsx';

/** What can be done with a client that is there. */
export type ChangeName = 'rename' | 'renew' | 'revoke';

/** What is being done in a dialog. */
export type Doing =
  | { readonly what: 'add' }
  | { readonly what: ChangeName; readonly client: ClientSummary }
  | { readonly what: 'show'; readonly made: NewClient };

interface DialogProps {
  readonly doing: Doing;
  /** On to the next dialog, or to none. */
  readonly onNext: (next: Doing | null) => void;
}

/** The dialog for what is being done with a client. */
export function Dialog({ doing, onNext }: DialogProps) {
  useFocusBack();
  const close = (): void => onNext(null);
  switch (doing.what) {
    case 'add':
      return <Add onNext={onNext} />;
    case 'rename':
      return <Rename client={doing.client} onClose={close} />;
    case 'renew':
      return <Renew client={doing.client} onNext={onNext} />;
    case 'revoke':
      return <Revoke client={doing.client} onClose={close} />;
    case 'show':
      return <KeyDialog made={doing.made} onClose={close} />;
  }
}

/** Has the clients read again. */
function useReread(): () => Promise<void> {
  const calls = useCalls();
  const queries = useQueryClient();
  return () => queries.invalidateQueries({ queryKey: calls.clients.key() });
}

function Add({ onNext }: Pick<DialogProps, 'onNext'>) {
  const reread = useReread();
  const add = useMutation(
    useCalls().clients.add.mutationOptions({
      onSuccess: (made) => {
        onNext({ what: 'show', made });
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
  const reread = useReread();
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

function Renew({ client, onNext }: Pick<OneClientProps, 'client'> & Pick<DialogProps, 'onNext'>) {
  const reread = useReread();
  const renew = useMutation(
    useCalls().clients.renew.mutationOptions({
      onSuccess: (made) => {
        onNext({ what: 'show', made });
        return reread();
      },
      onError: (error) => sayFailed(`${client.name} keeps its old key.`, error),
    }),
  );
  return (
    <Confirm
      opened
      title={`A new local key for ${client.name}`}
      action="Make a new key"
      busy={renew.isPending}
      onConfirm={() => renew.mutate({ id: client.id })}
      onClose={() => onNext(null)}
    >
      The old key stops working at once: whatever uses it is refused until you give it the new one.
      Answers on their way are finished.
    </Confirm>
  );
}

function Revoke({ client, onClose }: OneClientProps) {
  const reread = useReread();
  const revoke = useMutation(
    useCalls().clients.revoke.mutationOptions({
      onSuccess: () => {
        onClose();
        sayDone(`${client.name} is revoked.`);
        return reread();
      },
      onError: (error) => sayFailed(`${client.name} was not revoked.`, error),
    }),
  );
  return (
    <Confirm
      opened
      title={`Revoke ${client.name}`}
      action="Revoke"
      busy={revoke.isPending}
      onConfirm={() => revoke.mutate({ id: client.id })}
      onClose={onClose}
    >
      Whatever uses its local key is refused from now on and cannot reach the service any more.
      Answers on their way are finished, and its history stays. This cannot be taken back; you can
      add a new client at any time.
    </Confirm>
  );
}
