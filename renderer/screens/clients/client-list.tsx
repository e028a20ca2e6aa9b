import { Badge, Tooltip, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import type { ClientSummary } from '../../../shared/client.ts';
import type { LimitState } from '../../../shared/money/limit.ts';
import { formatMoney } from '../../../shared/money/format-money.ts';
import { useCurrency } from '../../hooks/use-currency.ts';
import { RelativeTime } from '../../components/relative-time.tsx';
import { pluralize } from '../../../shared/format.ts';
import { useListKeys } from '../../hooks/keyboard/use-list-keys.ts';
import { FigureCell, HeadCell, RowButton, SUMS_ABOUT } from '../../components/row-cells.tsx';
import rows from '../../components/rows.module.css';
import classes from './clients.module.css';
import { formatShortDate, formatTimestamp } from '../../format/format.ts';
import { findProgramOf, usePrograms } from '../../client-setup/connect/use-programs.ts';
import { ConnectedBadge, KindBadge, NoKeyBadge } from './kind-badge.tsx';
import { ReachedBadge } from './limits/reached-badge.tsx';
import { LimitShare } from './limits/limit-share.tsx';
import { useLimitsOf, useReachedLimits } from './limits/use-reached-limits.ts';

interface ClientListProps {
  readonly clients: readonly ClientSummary[];
  readonly chosen: string | undefined;
  readonly onChoose: (id: string) => void;
}

/** Whether a client is one that Gatehouse itself defines, and no program of the person. */
export function isBuiltIn(kind: ClientSummary['kind']): boolean {
  return kind !== 'stored' && kind !== 'environment';
}

/** Lists the clients with their usage; the revoked ones are collapsed below. */
export function ClientList({ clients, chosen, onChoose }: ClientListProps) {
  const working = clients.filter(({ revokedAt }) => revokedAt === null);
  const programs = working.filter(({ kind }) => !isBuiltIn(kind));
  const builtIn = working.filter(({ kind }) => isBuiltIn(kind));
  const revoked = clients.filter(({ revokedAt }) => revokedAt !== null);
  const [unfolded, { toggle }] = useDisclosure(revoked.some(({ id }) => id === chosen));
  const shown = [...programs, ...builtIn, ...(unfolded ? revoked : [])];
  const { list, onKeyDown, rowProps } = useListKeys<HTMLDivElement>({ count: shown.length });
  const reached = useReachedLimits();
  const { data: connections = [] } = usePrograms();
  const renderRow = (client: ClientSummary, row: number) => (
    <ClientRow
      key={client.id}
      client={client}
      chosen={client.id === chosen}
      program={findProgramOf(connections, client.id)}
      reached={reached.filter(({ clientId }) => clientId === client.id)}
      open={{ ...rowProps(row), onClick: () => onChoose(client.id) }}
    />
  );
  return (
    <div ref={list} className={classes['lists']}>
      <div
        className={`${rows['list']} ${classes['clients']}`}
        role="table"
        aria-label="Clients"
        onKeyDown={onKeyDown}
      >
        <Head />
        <div role="rowgroup">{programs.map(renderRow)}</div>
        <div role="rowgroup">
          <Caption builtIn={builtIn} />
          {builtIn.map((client, place) => renderRow(client, programs.length + place))}
        </div>
      </div>
      {revoked.length > 0 && (
        <UnstyledButton className={classes['disclosure']} onClick={toggle} aria-expanded={unfolded}>
          {unfolded ? <IconChevronDown size={15} /> : <IconChevronRight size={15} />}
          {pluralize(revoked.length, 'revoked client')}
        </UnstyledButton>
      )}
      {unfolded && revoked.length > 0 && (
        <div
          className={`${rows['list']} ${classes['clients']}`}
          role="table"
          aria-label="Revoked clients"
          onKeyDown={onKeyDown}
        >
          <Head />
          <div role="rowgroup">
            {revoked.map((client, place) => renderRow(client, working.length + place))}
          </div>
        </div>
      )}
    </div>
  );
}

/** Says what the clients below it are. */
function Caption({ builtIn }: { readonly builtIn: readonly ClientSummary[] }) {
  const hasUnknown = builtIn.some(({ kind }) => kind === 'unknown');
  return (
    <div role="row">
      <div role="cell" className={classes['caption']}>
        Not programs of yours: what Gatehouse itself sends
        {hasUnknown && ', and requests without a valid key'}
      </div>
    </div>
  );
}

function Head() {
  return (
    <div role="rowgroup">
      <div className={rows['head']} role="row">
        <HeadCell>Client</HeadCell>
        <HeadCell
          wide
          about="Of the limits of the client, the one that refuses requests, or of which the largest part is used."
        >
          Limit
        </HeadCell>
        <HeadCell>Last used</HeadCell>
        <HeadCell figures>Requests</HeadCell>
        <HeadCell figures wide about={SUMS_ABOUT}>
          Tokens in
        </HeadCell>
        <HeadCell figures wide about={SUMS_ABOUT}>
          Tokens out
        </HeadCell>
        <HeadCell figures about="The sum of all known costs.">
          Cost
        </HeadCell>
      </div>
    </div>
  );
}

interface ClientRowProps {
  readonly client: ClientSummary;
  readonly chosen: boolean;
  /** The program that is connected as this client. */
  readonly program: ReturnType<typeof findProgramOf>;
  /** Limits of its own that refuse its requests. */
  readonly reached: readonly LimitState[];
  /** Props for the button of the row. */
  readonly open: object;
}

function ClientRow({ client, chosen, program, reached, open }: ClientRowProps) {
  const { name, kind, revokedAt, lastUsedAt, exchanges } = client;
  const currency = useCurrency();
  const limits = useLimitsOf(client.id);
  return (
    <div
      className={rows['row']}
      role="row"
      data-chosen={chosen || undefined}
      data-quiet={revokedAt !== null || undefined}
    >
      <div className={`${rows['cell']} ${classes['name']}`} role="cell">
        <RowButton text={name} chosen={chosen} open={open}>
          {name}
        </RowButton>
        <span className={`${rows['above']} ${classes['badge']}`}>
          <KindBadge kind={kind} />
          {program !== undefined && <ConnectedBadge program={program} />}
          {program === undefined && client.onlyTemporaryKeys && revokedAt === null && (
            <NoKeyBadge />
          )}
          {revokedAt === null && <ExpiryBadge client={client} />}
          {client.stopped && <StoppedBadge />}
          {reached.length > 0 && revokedAt === null && (
            <ReachedBadge ofRun={reached.every(({ period }) => period === 'run')} />
          )}
        </span>
      </div>
      <div className={rows['cell']} role="cell" data-wide>
        <LimitShare limits={limits} />
      </div>
      <div className={rows['cell']} role="cell">
        {lastUsedAt === null ? 'never' : <RelativeTime at={lastUsedAt} />}
      </div>
      <FigureCell count={exchanges} />
      <FigureCell count={client.inputTokens} wide />
      <FigureCell count={client.outputTokens} wide />
      <div className={rows['cell']} role="cell" data-figures>
        {client.cost === null ? '–' : formatMoney(client.cost, currency)}
      </div>
    </div>
  );
}

/** Marks a client whose requests are refused until a person lets it go on. */
function StoppedBadge() {
  return (
    <Badge size="xs" variant="default" tt="none" fw={500} flex="none" c="var(--gate-warn)">
      stopped
    </Badge>
  );
}

/** Marks a key that has expired, or when it will. */
function ExpiryBadge({ client: { expiresAt, expired } }: { readonly client: ClientSummary }) {
  if (expiresAt === null) return null;
  return (
    <Tooltip
      position="right"
      label={
        expired
          ? `Expired on ${formatTimestamp(expiresAt)}: its key is refused until you change the expiry.`
          : `Its key works until ${formatTimestamp(expiresAt)}.`
      }
    >
      <Badge
        size="xs"
        variant="default"
        tt="none"
        fw={500}
        {...(expired && { c: 'var(--gate-warn)' })}
      >
        {expired ? 'expired' : `until ${formatShortDate(expiresAt)}`}
      </Badge>
    </Tooltip>
  );
}
