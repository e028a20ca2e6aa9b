import { Button, Skeleton, Stack } from '@mantine/core';
import { IconPlugConnected, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { ClientSummary } from '../../../shared/client.ts';
import { useCalls } from '../../client/client.ts';
import { Empty } from '../../parts/empty.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Page } from '../../parts/page.tsx';
import { ClientDetail } from './client-detail.tsx';
import { ClientList } from './client-list.tsx';
import classes from './clients.module.css';
import { Dialog, type Doing } from './doing.tsx';

/** The programs that use Gatehouse: their local keys, what they did, and how each is set up. */
export function Clients() {
  const { data, error, refetch } = useQuery(useCalls().clients.list.queryOptions());
  const [doing, setDoing] = useState<Doing | null>(null);
  return (
    <Page
      title="Clients"
      about="Programs that use Gatehouse, each with a local key of its own."
      actions={
        <Button
          size="xs"
          leftSection={<IconPlus size={15} />}
          onClick={() => setDoing({ what: 'add' })}
        >
          Add a client
        </Button>
      }
      fills
    >
      {data === undefined && error !== null && (
        <Failure
          title="The clients could not be read."
          error={error}
          onRetry={() => void refetch()}
        />
      )}
      {data === undefined && error === null && <Loading />}
      {data !== undefined && <Known clients={data} onDo={setDoing} />}
      {doing !== null && <Dialog doing={doing} onNext={setDoing} />}
    </Page>
  );
}

interface KnownProps {
  readonly clients: readonly ClientSummary[];
  readonly onDo: (doing: Doing) => void;
}

function Known({ clients, onDo }: KnownProps) {
  const { client: chosen } = useSearch({ from: '/clients' });
  const navigate = useNavigate({ from: '/clients' });
  const choose = (id: string | undefined) => void navigate({ search: { client: id } });
  const client = clients.find(({ id }) => id === chosen);
  if (clients.every(({ kind }) => kind === 'window' || kind === 'chat')) {
    return (
      <Empty icon={IconPlugConnected} title="No clients yet">
        Add one for each program that is to use Gatehouse. It gets a local key, and you get the
        settings to paste.
      </Empty>
    );
  }
  return (
    <div className={classes['columns']}>
      <ClientList clients={clients} chosen={chosen} onChoose={choose} />
      {client !== undefined && (
        <ClientDetail
          key={client.id}
          client={client}
          onDo={(what) => onDo({ what, client })}
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
