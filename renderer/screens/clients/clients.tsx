import { Button, Group, Skeleton, Stack, Text } from '@mantine/core';
import { IconPlug, IconPlugConnected, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { ClientSummary } from '../../../shared/client.ts';
import { useCalls } from '../../api/client.ts';
import { EmptyState } from '../../components/states/empty-state.tsx';
import { ErrorState } from '../../components/states/error-state.tsx';
import { ScopeNote } from '../../components/scope-note.tsx';
import { DetailPane } from '../../components/detail/detail-pane.tsx';
import { Page } from '../../components/page.tsx';
import { ClientDetail } from './client-detail.tsx';
import { ClientList, isBuiltIn } from './client-list.tsx';
import classes from './clients.module.css';
import { LimitsOfAll } from './limits/limits-of-all.tsx';
import { ClientDialog, type ClientDialogState } from './client-dialogs.tsx';

/** The clients screen: local keys, usage and setup of the programs that use Gatehouse. */
export function Clients() {
  const { data, error, isFetching, refetch } = useQuery(useCalls().clients.list.queryOptions());
  const { model } = useSearch({ from: '/clients' });
  const { dialog, setDialog, showNext } = useDialog();
  return (
    <Page
      title="Clients"
      about={
        <>
          Programs that use Gatehouse, each with its own local key. <ScopeNote />
        </>
      }
      actions={
        <Group gap="xs" className={classes['actions'] ?? ''}>
          <LimitsOfAll />
          <Button
            variant="default"
            size="xs"
            leftSection={<IconPlus size={15} />}
            onClick={() => setDialog({ kind: 'add' })}
          >
            Add a client
          </Button>
          <Button
            size="xs"
            leftSection={<IconPlug size={15} />}
            onClick={() => setDialog({ kind: 'connect' })}
          >
            Connect a program
          </Button>
        </Group>
      }
      fills
    >
      {data === undefined && error !== null && (
        <ErrorState
          title="Could not load the clients."
          error={error}
          onRetry={() => void refetch()}
        />
      )}
      {data === undefined && error === null && <Loading />}
      {data !== undefined && (
        <ClientsView clients={data} isFetching={isFetching} onAction={setDialog} />
      )}
      {dialog !== null && <ClientDialog dialog={dialog} model={model} onNext={showNext} />}
    </Page>
  );
}

/** Keeps the open dialog: the one that the address names, or one that was opened since. */
function useDialog() {
  const { add, connect, program } = useSearch({ from: '/clients' });
  const navigate = useNavigate({ from: '/clients' });
  const [later, setDialog] = useState<ClientDialogState | null>(null);
  const isNamed = add === true || connect === true;
  const named: ClientDialogState = add === true ? { kind: 'add' } : { kind: 'connect', program };
  const showNext = (next: ClientDialogState | null): void => {
    setDialog(next);
    if (!isNamed) return;
    // A reload does not open it again.
    const gone = { add: undefined, connect: undefined, program: undefined };
    void navigate({ search: (now) => ({ ...now, ...gone }), replace: true });
  };
  return { dialog: later ?? (isNamed ? named : null), setDialog, showNext };
}

interface ClientsViewProps {
  readonly clients: readonly ClientSummary[];
  /** Whether a newer list is on its way, which may have more clients. */
  readonly isFetching: boolean;
  readonly onAction: (doing: ClientDialogState) => void;
}

function ClientsView({ clients, isFetching, onAction }: ClientsViewProps) {
  const { client: chosen, model } = useSearch({ from: '/clients' });
  const navigate = useNavigate({ from: '/clients' });
  const choose = (id: string | undefined) => void navigate({ search: { client: id, model } });
  const client = clients.find(({ id }) => id === chosen);
  const [missing, setMissing] = useState<string>();
  // Once it is shown, a list that is loaded again does not take it away.
  if (chosen !== missing && client === undefined && !isFetching) setMissing(chosen);
  if (clients.every(({ kind, lastUsedAt }) => isBuiltIn(kind) && lastUsedAt === null)) {
    return (
      <EmptyState icon={IconPlugConnected} title="No clients yet">
        Connect a program, and Gatehouse changes its settings. Or add a client: it gets a local key,
        and you get the settings to paste.
      </EmptyState>
    );
  }
  return (
    <div className={classes['columns']}>
      <ClientList clients={clients} chosen={chosen} onChoose={choose} />
      {client !== undefined && (
        <ClientDetail
          key={client.id}
          client={client}
          model={model}
          onAction={(kind) => onAction({ kind, client })}
          onDialog={onAction}
          onClose={() => choose(undefined)}
        />
      )}
      {chosen !== undefined && client === undefined && chosen === missing && (
        <DetailPane title="No such client" onClose={() => choose(undefined)}>
          <Text size="sm">
            There is no client with the id “{chosen}”. Choose one from the list.
          </Text>
        </DetailPane>
      )}
    </div>
  );
}

const ROWS = Array.from({ length: 6 }, (_, row) => row);

function Loading() {
  return (
    <Stack gap={8} role="group" aria-busy aria-label="Loading the clients">
      {ROWS.map((row) => (
        <Skeleton key={row} h={30} />
      ))}
    </Stack>
  );
}
