import { Button, Skeleton, Stack } from '@mantine/core';
import { IconPlugConnected, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { ClientSummary } from '../../../shared/client.ts';
import { useCalls } from '../../api/client.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { Page } from '../../components/page.tsx';
import { ClientDetail } from './client-detail.tsx';
import { ClientList } from './client-list.tsx';
import classes from './clients.module.css';
import { ClientDialog, type ClientDialogState } from './client-dialogs.tsx';

/** The clients screen: local keys, usage and setup of the programs that use Gatehouse. */
export function Clients() {
  const { data, error, refetch } = useQuery(useCalls().clients.list.queryOptions());
  const [dialog, setDialog] = useState<ClientDialogState | null>(null);
  return (
    <Page
      title="Clients"
      about="Programs that use Gatehouse, each with its own local key."
      actions={
        <Button
          size="xs"
          leftSection={<IconPlus size={15} />}
          onClick={() => setDialog({ kind: 'add' })}
        >
          Add a client
        </Button>
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
      {data !== undefined && <ClientsView clients={data} onAction={setDialog} />}
      {dialog !== null && <ClientDialog dialog={dialog} onNext={setDialog} />}
    </Page>
  );
}

interface ClientsViewProps {
  readonly clients: readonly ClientSummary[];
  readonly onAction: (doing: ClientDialogState) => void;
}

function ClientsView({ clients, onAction }: ClientsViewProps) {
  const { client: chosen } = useSearch({ from: '/clients' });
  const navigate = useNavigate({ from: '/clients' });
  const choose = (id: string | undefined) => void navigate({ search: { client: id } });
  const client = clients.find(({ id }) => id === chosen);
  if (clients.every(({ kind }) => kind === 'window' || kind === 'chat')) {
    return (
      <EmptyState icon={IconPlugConnected} title="No clients yet">
        Add one for each program. It gets a local key, and you get the settings to paste.
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
          onAction={(kind) => onAction({ kind, client })}
          onClose={() => choose(undefined)}
        />
      )}
    </div>
  );
}

const ROWS = Array.from({ length: 6 }, (_, row) => row);

function Loading() {
  return (
    <Stack gap={8} aria-busy aria-label="Loading the clients">
      {ROWS.map((row) => (
        <Skeleton key={row} h={30} />
      ))}
    </Stack>
  );
}
