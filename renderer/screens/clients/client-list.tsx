import { UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import type { ClientSummary } from '../../../shared/client.ts';
import { RelativeTime } from '../../components/relative-time.tsx';
import { pluralize } from '../../../shared/format.ts';
import { useListKeys } from '../../hooks/use-list-keys.ts';
import { FigureCell, HeadCell, RowButton, SUMS_ABOUT } from '../../components/row-cells.tsx';
import rows from '../../components/rows.module.css';
import classes from './clients.module.css';
import { KindBadge } from './kind-badge.tsx';

interface ClientListProps {
  readonly clients: readonly ClientSummary[];
  readonly chosen: string | undefined;
  readonly onChoose: (id: string) => void;
}

/** Lists the clients with their usage; the revoked ones are collapsed below. */
export function ClientList({ clients, chosen, onChoose }: ClientListProps) {
  const working = clients.filter(({ revokedAt }) => revokedAt === null);
  const revoked = clients.filter(({ revokedAt }) => revokedAt !== null);
  const [unfolded, { toggle }] = useDisclosure(revoked.some(({ id }) => id === chosen));
  const shown = unfolded ? [...working, ...revoked] : working;
  const { list, onKeyDown, rowProps } = useListKeys<HTMLDivElement>({ count: shown.length });
  const rowOf = (client: ClientSummary, row: number) => (
    <ClientRow
      key={client.id}
      client={client}
      chosen={client.id === chosen}
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
        <div role="rowgroup">{working.map(rowOf)}</div>
      </div>
      {revoked.length > 0 && (
        <UnstyledButton className={classes['fold']} onClick={toggle} aria-expanded={unfolded}>
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
            {revoked.map((client, place) => rowOf(client, working.length + place))}
          </div>
        </div>
      )}
    </div>
  );
}

function Head() {
  return (
    <div role="rowgroup">
      <div className={rows['head']} role="row">
        <HeadCell>Client</HeadCell>
        <HeadCell wide>Created</HeadCell>
        <HeadCell>Last used</HeadCell>
        <HeadCell figures>Requests</HeadCell>
        <HeadCell figures wide about={SUMS_ABOUT}>
          Tokens in
        </HeadCell>
        <HeadCell figures wide about={SUMS_ABOUT}>
          Tokens out
        </HeadCell>
      </div>
    </div>
  );
}

interface ClientRowProps {
  readonly client: ClientSummary;
  readonly chosen: boolean;
  /** Props for the button of the row. */
  readonly open: object;
}

function ClientRow({ client, chosen, open }: ClientRowProps) {
  const { name, kind, createdAt, revokedAt, lastUsedAt, exchanges } = client;
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
        <span className={`${rows['above']} ${classes['mark']}`}>
          <KindBadge kind={kind} />
        </span>
      </div>
      <div className={rows['cell']} role="cell" data-wide>
        {kind === 'stored' ? <RelativeTime at={createdAt} /> : '–'}
      </div>
      <div className={rows['cell']} role="cell">
        {lastUsedAt === null ? 'never' : <RelativeTime at={lastUsedAt} />}
      </div>
      <FigureCell count={exchanges} />
      <FigureCell count={client.inputTokens} wide />
      <FigureCell count={client.outputTokens} wide />
    </div>
  );
}
