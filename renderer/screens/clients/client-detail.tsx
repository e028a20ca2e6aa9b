import { Button, Group, Stack, Text, Title } from '@mantine/core';
import {
  IconAlertTriangle,
  IconClockPause,
  IconHistory,
  IconKey,
  IconPencil,
  IconTrash,
} from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { ClientSummary } from '../../../shared/client.ts';
import { RelativeTime } from '../../components/relative-time.tsx';
import { DetailPane } from '../../components/detail/detail-pane.tsx';
import { pluralize, formatCount } from '../../../shared/format.ts';
import { NOT_CHARGED } from '../../../shared/money/charge.ts';
import { formatMoney } from '../../../shared/money/format-money.ts';
import { useCurrency } from '../../hooks/use-currency.ts';
import { useIsFree } from '../../hooks/use-is-free.ts';
import classes from './clients.module.css';
import { AllowedModels } from './limits/allowed-models.tsx';
import { Limits } from './limits/limits.tsx';
import type { ChangeName, ClientDialogState } from './client-dialogs.tsx';
import { HoldClient } from './hold-client.tsx';
import { KeepBodiesSelect } from './keep-bodies-select.tsx';
import { describeKind, NO_KEY_ABOUT } from './kind-badge.tsx';
import { StopClient } from './stop-client.tsx';
import { findProgramOf, usePrograms } from '../../client-setup/connect/use-programs.ts';
import { ErrorState } from '../../components/states/error-state.tsx';
import { ProgramSection } from './connect/program-section.tsx';
import { guessTool, ToolSettings } from '../../client-setup/tool-settings.tsx';
import { formatTimestamp } from '../../format/format.ts';
import { toPattern } from '../../../shared/name-pattern.ts';
import { toHistorySearch } from '../../format/history-search.ts';

interface ClientDetailProps {
  readonly client: ClientSummary;
  /** The model that the person came with. */
  readonly model: string | undefined;
  readonly onAction: (what: ChangeName) => void;
  readonly onDialog: (dialog: ClientDialogState) => void;
  readonly onClose: () => void;
}

/** Shows one client: its usage, the actions on it, and the settings of its tool. */
export function ClientDetail(props: ClientDetailProps) {
  const { client, onAction, onClose } = props;
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
        {kind === 'stored' && <Connection {...props} />}
        {kind !== 'unknown' && kind !== 'videos' && revokedAt === null && (
          <Actions client={client} onAction={onAction} />
        )}
        {kind !== 'unknown' && revokedAt === null && <Limits clientId={client.id} name={name} />}
        {kind === 'stored' && revokedAt === null && <AllowedModels client={client} />}
        {kind === 'stored' && revokedAt === null && <KeepBodiesSelect client={client} />}
        {kind === 'stored' && revokedAt === null && <SettingsByHand {...props} />}
        {kind === 'environment' && revokedAt === null && (
          <ProgramSettings {...props}>
            Replace the placeholder with the value of GATEHOUSE_LOCAL_KEY.
          </ProgramSettings>
        )}
        {kind === 'stored' && revokedAt === null && (
          <Button
            variant="default"
            c="var(--gate-bad)"
            size="xs"
            w="fit-content"
            leftSection={<IconTrash size={15} />}
            onClick={() => onAction('revoke')}
          >
            Revoke
          </Button>
        )}
      </Stack>
    </DetailPane>
  );
}

/** Shows the program that was connected as this client, if there is one. */
function Connection({ client, onDialog }: Pick<ClientDetailProps, 'client' | 'onDialog'>) {
  const { data, error, refetch } = usePrograms();
  if (data === undefined) {
    return error === null ? null : (
      <ErrorState
        title="Could not look for the programs."
        error={error}
        onRetry={() => void refetch()}
      />
    );
  }
  const program = findProgramOf(data, client.id);
  if (program === undefined) return null;
  return (
    <ProgramSection
      program={program}
      onChange={() => onDialog({ kind: 'connect', program: program.id })}
      onDisconnect={() => onDialog({ kind: 'disconnect', program })}
    />
  );
}

/** Shows the settings to paste for a client of which no program is connected. */
function SettingsByHand(props: ClientDetailProps) {
  const { client } = props;
  const { data } = usePrograms();
  if (data === undefined || findProgramOf(data, client.id) !== undefined) return null;
  if (client.onlyTemporaryKeys) {
    return (
      <Text size="sm" c="dimmed">
        {NO_KEY_ABOUT}
      </Text>
    );
  }
  return (
    <ProgramSettings {...props}>
      Replace the placeholder with this client’s local key. It was shown only once, when it was
      created; if you lost it, create a new one.
    </ProgramSettings>
  );
}

interface ProgramSettingsProps extends Pick<ClientDetailProps, 'client' | 'model'> {
  /** Where the key is. */
  readonly children: ReactNode;
}

function ProgramSettings({ client, model, children }: ProgramSettingsProps) {
  return (
    <section aria-label="Program settings">
      <Title order={3} mb={4}>
        Program settings
      </Title>
      <Text size="xs" c="dimmed" mb="sm">
        {children}
      </Text>
      <ToolSettings tool={guessTool(client.name)} model={model} />
    </section>
  );
}

function Facts({ client }: { readonly client: ClientSummary }) {
  const { kind, createdAt, revokedAt, expiresAt, lastUsedAt } = client;
  const { exchanges, inputTokens, outputTokens, cost } = client;
  return (
    <dl className={classes['facts']}>
      {kind === 'stored' && (
        <>
          <dt>Created</dt>
          <dd>
            <RelativeTime at={createdAt} />
          </dd>
          {revokedAt === null && (
            <>
              <dt>{client.expired ? 'Expired' : 'Expires'}</dt>
              <dd>
                {expiresAt === null ? 'never' : formatTimestamp(expiresAt)}
                {client.expired && '; its key is refused until you change the expiry.'}
              </dd>
            </>
          )}
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
      {cost !== null && <CostFact cost={cost} />}
      {exchanges > 0 && (
        <>
          <dt>Tokens</dt>
          <dd>
            <span data-figures>
              {formatCount(inputTokens)} in, {formatCount(outputTokens)} out
            </span>
            <Text size="xs" c="dimmed">
              Reported by the service, or estimated by Gatehouse where possible.
            </Text>
          </dd>
        </>
      )}
    </dl>
  );
}

function CostFact({ cost }: { readonly cost: number }) {
  const currency = useCurrency();
  const isFree = useIsFree();
  return (
    <>
      <dt>Cost</dt>
      <dd data-figures>
        {formatMoney(cost, currency)}
        {isFree && ` (${NOT_CHARGED})`}
      </dd>
    </>
  );
}

function ClientLinks({ client }: { readonly client: ClientSummary }) {
  if (client.lastUsedAt === null) return null;
  const callers =
    client.kind === 'unknown' ? { known: false } : { clients: [toPattern(client.name)] };
  return (
    <Group gap="xs">
      <Button
        renderRoot={(props: object) => (
          <Link to="/history" search={toHistorySearch(callers)} {...props} />
        )}
        variant="default"
        size="xs"
        leftSection={<IconHistory size={15} />}
      >
        History
      </Button>
      <Button
        renderRoot={(props: object) => (
          <Link to="/history" search={toHistorySearch({ ...callers, failed: true })} {...props} />
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

function Actions({ client, onAction }: Pick<ClientDetailProps, 'client' | 'onAction'>) {
  return (
    <Group gap="xs">
      {client.kind === 'stored' && <KeyActions onAction={onAction} />}
      <HoldClient client={client} />
      <StopClient client={client} />
    </Group>
  );
}

/** The buttons for what a person added. */
function KeyActions({ onAction }: Pick<ClientDetailProps, 'onAction'>) {
  return (
    <>
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
        leftSection={<IconClockPause size={15} />}
        onClick={() => onAction('expiry')}
      >
        Expiry
      </Button>
      <Button
        variant="default"
        size="xs"
        leftSection={<IconKey size={15} />}
        onClick={() => onAction('renew')}
      >
        New key
      </Button>
    </>
  );
}
