import { Loader, Text, Tooltip } from '@mantine/core';
import { IconTool } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { ExchangeSummary, RunningExchange } from '../../../shared/history.ts';
import { RelativeTime } from '../../components/relative-time.tsx';
import { formatDuration } from '../../../shared/format.ts';
import type { RowProps } from '../../hooks/use-list-keys.ts';
import { stageLabel } from '../../format/outcome.ts';
import { routeLabel } from '../../format/route.ts';
import { StatusBadge } from '../../components/status-badge.tsx';
import { Tokens } from '../../components/tokens.tsx';
import classes from './latest.module.css';

/** A completed exchange; links to its details. */
export function EndedRow({
  exchange,
  rowProps,
}: {
  readonly exchange: ExchangeSummary;
  readonly rowProps: RowProps;
}) {
  return (
    <li>
      <Link
        to="/history"
        search={{ exchange: exchange.id }}
        className={classes['row']}
        {...rowProps}
      >
        <span className={classes['state']}>
          <StatusBadge exchange={exchange} />
        </span>
        <RowText exchange={exchange} model={exchange.modelSent ?? exchange.modelAsked}>
          {exchange.repairs.length > 0 && (
            <Tooltip label="Repaired by Gatehouse">
              <IconTool size={14} className={classes['repaired']} aria-label="repaired" />
            </Tooltip>
          )}
        </RowText>
        <span className={classes['tokens']}>
          <Tokens usage={exchange.usage} sent={exchange.attempts > 0} />
        </span>
        <Text span size="xs" className={classes['duration'] ?? ''} data-figures>
          {formatDuration(exchange.durationMs)}
        </Text>
        <Text span size="xs" c="dimmed" className={classes['time'] ?? ''}>
          <RelativeTime at={exchange.lastAt} />
        </Text>
      </Link>
    </li>
  );
}

/** An exchange in progress. */
export function RunningRow({ exchange }: { readonly exchange: RunningExchange }) {
  return (
    <li className={classes['row']} data-running>
      <span className={classes['state']}>
        <Loader size={14} ml={6} aria-hidden />
      </span>
      <RowText exchange={exchange} model={exchange.modelSent} />
      <Text span size="xs" c="dimmed" className={classes['stage'] ?? ''}>
        {stageLabel(exchange.stage)}
      </Text>
      <Text span size="xs" c="dimmed" className={classes['time'] ?? ''}>
        <RelativeTime at={exchange.startedAt} />
      </Text>
    </li>
  );
}

interface RowTextProps {
  readonly exchange: Pick<RunningExchange, 'clientName' | 'route' | 'method' | 'pathReceived'>;
  readonly model: string | null;
  readonly children?: ReactNode;
}

function RowText({ exchange, model, children }: RowTextProps) {
  const { clientName, route, method, pathReceived } = exchange;
  const what = model ?? `${method} ${pathReceived}`;
  return (
    <>
      <Tooltip label={clientName ?? 'No valid local key'}>
        <span className={classes['client']}>{clientName ?? 'unknown client'}</span>
      </Tooltip>
      <Tooltip label={`${routeLabel(route)}: ${what}`}>
        <span className={classes['what']}>
          <span className={classes['model']}>{what}</span>
          {children}
        </span>
      </Tooltip>
    </>
  );
}
