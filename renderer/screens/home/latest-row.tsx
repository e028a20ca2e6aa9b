import { Loader, Text, Tooltip } from '@mantine/core';
import { IconTool } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type {
  ExchangeSummary,
  RunningExchange,
  StatusChecks,
} from '../../../shared/history/history.ts';
import { RelativeTime } from '../../components/relative-time.tsx';
import { isCorrection, reachedService } from '../../../shared/exchange/outcome.ts';
import { formatDuration } from '../../../shared/format.ts';
import type { RowProps } from '../../hooks/keyboard/use-list-keys.ts';
import { stageLabel } from '../../format/outcome.ts';
import { routeLabel } from '../../format/route.ts';
import { ChecksCount } from '../../components/badges/checks-count.tsx';
import { HttpsAdvice } from '../../components/https-advice.tsx';
import { RequestsCount } from '../../components/badges/requests-count.tsx';
import { ModelId } from '../../components/model-id/model-id.tsx';
import { useClipped } from '../../hooks/use-clipped.ts';
import { StatusBadge } from '../../components/badges/status-badge.tsx';
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
          {exchange.repairs.some(isCorrection) && (
            <Tooltip label="Repaired by Gatehouse">
              <IconTool size={14} className={classes['repaired']} aria-label="repaired" />
            </Tooltip>
          )}
        </RowText>
        <span className={classes['tokens']}>
          <Tokens usage={exchange.usage} sent={reachedService(exchange)} />
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
  readonly exchange: Pick<RunningExchange, 'clientName' | 'route' | 'method' | 'pathReceived'> & {
    readonly errorCode?: string | null;
    readonly times?: number;
    readonly checks?: StatusChecks | null;
  };
  readonly model: string | null;
  readonly children?: ReactNode;
}

function RowText({ exchange, model, children }: RowTextProps) {
  const { clientName, route, method, pathReceived, times = 1, checks = null } = exchange;
  const what = model ?? `${method} ${pathReceived}`;
  const client = useClipped();
  const request = useClipped(`.${classes['model']}`);
  return (
    <>
      <Tooltip
        label={clientName ?? 'No valid local key'}
        disabled={clientName !== null && !client.clipped}
      >
        <span className={classes['client']} {...client.measuring}>
          {clientName ?? 'unknown client'}
        </span>
      </Tooltip>
      <Tooltip label={`${routeLabel(route)}: ${what}`} disabled={!request.clipped}>
        <span className={classes['request']} {...request.measuring}>
          {times > 1 && <RequestsCount times={times} />}
          {checks !== null && <ChecksCount checks={checks} />}
          <span className={classes['model']}>
            {exchange.errorCode === 'https_not_supported' ? (
              <HttpsAdvice />
            ) : model === null ? (
              what
            ) : (
              <ModelId id={model} />
            )}
          </span>
          {children}
        </span>
      </Tooltip>
    </>
  );
}
