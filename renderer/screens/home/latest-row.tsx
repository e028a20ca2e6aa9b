import { Loader, Text, Tooltip } from '@mantine/core';
import { IconTool } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { ExchangeSummary, RunningExchange } from '../../../shared/history.ts';
import { Ago } from '../../parts/ago.tsx';
import { durationText } from '../../parts/figures.ts';
import type { RowProps } from '../../parts/list-keys.ts';
import { stageWords } from '../../parts/outcome-words.ts';
import { routeWords } from '../../parts/route-words.ts';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { Tokens } from '../../parts/tokens.tsx';
import classes from './latest.module.css';

/** An exchange that has ended; leads to its details. */
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
        <What exchange={exchange} model={exchange.modelSent ?? exchange.modelAsked}>
          {exchange.repairs.length > 0 && (
            <Tooltip label="Repaired on the way">
              <IconTool size={14} className={classes['repaired']} aria-label="repaired" />
            </Tooltip>
          )}
        </What>
        <span className={classes['tokens']}>
          <Tokens usage={exchange.usage} sent={exchange.attempts > 0} />
        </span>
        <Text span size="xs" className={classes['duration'] ?? ''} data-figures>
          {durationText(exchange.durationMs)}
        </Text>
        <Text span size="xs" c="dimmed" className={classes['time'] ?? ''}>
          <Ago at={exchange.lastAt} />
        </Text>
      </Link>
    </li>
  );
}

/** An exchange on its way. */
export function RunningRow({ exchange }: { readonly exchange: RunningExchange }) {
  return (
    <li className={classes['row']} data-running>
      <span className={classes['state']}>
        <Loader size={14} ml={6} aria-hidden />
      </span>
      <What exchange={exchange} model={exchange.modelSent} />
      <Text span size="xs" c="dimmed" className={classes['stage'] ?? ''}>
        {stageWords(exchange.stage)}
      </Text>
      <Text span size="xs" c="dimmed" className={classes['time'] ?? ''}>
        <Ago at={exchange.startedAt} />
      </Text>
    </li>
  );
}

interface WhatProps {
  readonly exchange: Pick<RunningExchange, 'clientName' | 'route' | 'method' | 'pathReceived'>;
  readonly model: string | null;
  readonly children?: ReactNode;
}

function What({ exchange, model, children }: WhatProps) {
  const { clientName, route, method, pathReceived } = exchange;
  const what = model ?? `${method} ${pathReceived}`;
  return (
    <>
      <Tooltip label={clientName ?? 'No valid local key'}>
        <span className={classes['client']}>{clientName ?? 'unknown client'}</span>
      </Tooltip>
      <Tooltip label={`${routeWords(route)}: ${what}`}>
        <span className={classes['what']}>
          <span className={classes['model']}>{what}</span>
          {children}
        </span>
      </Tooltip>
    </>
  );
}
