import { Button, Group, Stack, Text, Title } from '@mantine/core';
import {
  IconAlertTriangle,
  IconHistory,
  IconKey,
  IconPencil,
  IconTrash,
} from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { ClientSummary } from '../../../shared/client.ts';
import { RelativeTime } from '../../components/relative-time.tsx';
import { DetailPane } from '../../components/detail-pane.tsx';
import { pluralize, formatCount } from '../../../shared/format.ts';
import classes from './clients.module.css';
import type { ChangeName } from './client-dialogs.tsx';
import { describeKind } from './kind-badge.tsx';
import { ToolSettings } from './tool-settings.tsx';

interface ClientDetailProps {
  readonly client: ClientSummary;
  readonly onAction: (what: ChangeName) => void;
  readonly onClose: () => void;
}

/** Shows one client: its usage, the actions on it, and the settings of its tool. */
export function ClientDetail({ client, onAction, onClose }: ClientDetailProps) {
  const { name, kind, revokedAt } = client;
  return (
    <DetailPane title={name} onClose={onClose}>
      <Stack gap="lg">
        <Facts client={client} />
        <ClientLinks client={client} />
        {kind !== 'stored' && (
          <Text size="sm" c="dimmed">
            {describeKind(kind)}
          </Text>
        )}
        {kind === 'stored' && revokedAt === null && <Actions onAction={onAction} />}
        {kind !== 'window' && kind !== 'chat' && revokedAt === null && (
          <section aria-label="Program settings">
            <Title order={3} mb={4}>
              Program settings
            </Title>
            <Text size="xs" c="dimmed" mb="sm">
              {kind === 'stored'
                ? 'Replace the placeholder with this client’s local key. It was shown only once, when it was created; if you lost it, create a new one.'
                : 'Replace the placeholder with the value of GATEHOUSE_LOCAL_KEY.'}
            </Text>
            <ToolSettings clientName={name} localKey={null} />
          </section>
        )}
      </Stack>
    </DetailPane>
  );
}

function Facts({ client }: { readonly client: ClientSummary }) {
  const { kind, createdAt, revokedAt, lastUsedAt, exchanges, inputTokens, outputTokens } = client;
  return (
    <dl className={classes['facts']}>
      {kind === 'stored' && (
        <>
          <dt>Created</dt>
          <dd>
            <RelativeTime at={createdAt} />
          </dd>
        </>
      )}
      {revokedAt !== null && (
        <>
          <dt>Revoked</dt>
          <dd>
            <RelativeTime at={revokedAt} />; its key no longer works.
          </dd>
        </>
      )}
      <dt>Last used</dt>
      <dd>{lastUsedAt === null ? 'never' : <RelativeTime at={lastUsedAt} />}</dd>
      <dt>In the history</dt>
      <dd data-figures>{pluralize(exchanges, 'request')}</dd>
      {exchanges > 0 && (
        <>
          <dt>Tokens</dt>
          <dd>
            <span data-figures>
              {formatCount(inputTokens)} in, {formatCount(outputTokens)} out
            </span>
            <Text size="xs" c="dimmed">
              Reported by the service; estimated where it reported nothing.
            </Text>
          </dd>
        </>
      )}
    </dl>
  );
}

function ClientLinks({ client }: { readonly client: ClientSummary }) {
  if (client.exchanges === 0) return null;
  const clients = [client.name];
  return (
    <Group gap="xs">
      <Button
        renderRoot={(props: object) => <Link to="/history" search={{ clients }} {...props} />}
        variant="default"
        size="xs"
        leftSection={<IconHistory size={15} />}
      >
        History
      </Button>
      <Button
        renderRoot={(props: object) => (
          <Link to="/history" search={{ clients, outcome: 'failed' }} {...props} />
        )}
        variant="default"
        size="xs"
        leftSection={<IconAlertTriangle size={15} />}
      >
        Failed requests
      </Button>
    </Group>
  );
}

function Actions({ onAction }: Pick<ClientDetailProps, 'onAction'>) {
  return (
    <Group gap="xs">
      <Button
        variant="default"
        size="xs"
        leftSection={<IconPencil size={15} />}
        onClick={() => onAction('rename')}
      >
        Rename
      </Button>
      <Button
        variant="default"
        size="xs"
        leftSection={<IconKey size={15} />}
        onClick={() => onAction('renew')}
      >
        New key
      </Button>
      <Button
        variant="light"
        color="red"
        size="xs"
        leftSection={<IconTrash size={15} />}
        onClick={() => onAction('revoke')}
      >
        Revoke
      </Button>
    </Group>
  );
}
