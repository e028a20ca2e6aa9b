import { VisuallyHidden } from '@mantine/core';
import { IconBolt, IconTool } from '@tabler/icons-react';
import { memo, type ReactNode } from 'react';
import type { ExchangeId } from '../../../shared/exchange.ts';
import type { ExchangeSummary, RunningExchange } from '../../../shared/history.ts';
import { RelativeTime } from '../../components/relative-time.tsx';
import { pluralize, formatCount, formatDuration } from '../../../shared/format.ts';
import { repairTitle } from '../../format/repair.ts';
import { routeLabel } from '../../format/route.ts';
import { StageBadge, StatusBadge } from '../../components/status-badge.tsx';
import { Tokens } from '../../components/tokens.tsx';
import classes from './list.module.css';

const COLUMNS = [
  ['time', 'Time'],
  ['client', 'Client'],
  ['route', 'Route'],
  ['model', 'Model'],
  ['marks', 'Marks'],
  ['status', 'Status'],
  ['tokens', 'Tokens'],
  ['duration', 'Duration'],
] as const;
type Column = (typeof COLUMNS)[number][0];

/** Returns the DOM id of an exchange's row. */
export function rowDomId(id: ExchangeId): string {
  return `exchange-${id}`;
}

export function HeadRow() {
  return (
    <div role="rowgroup" className={classes['head']}>
      <div role="row" aria-rowindex={1} className={classes['row']}>
        {COLUMNS.map(([column, title]) => (
          <div key={column} role="columnheader" data-column={column}>
            {column === 'marks' ? <VisuallyHidden>{title}</VisuallyHidden> : title}
          </div>
        ))}
      </div>
    </div>
  );
}

interface Place {
  /** Index from the top of the list, 0 for the first. */
  readonly index: number;
  readonly marked: boolean;
  readonly opened: boolean;
  readonly onOpen: (id: ExchangeId) => void;
}

interface RowProps extends Place {
  readonly exchange: Pick<RunningExchange, 'id' | 'startedAt' | 'clientName' | 'route'> & {
    readonly method: string;
    readonly pathReceived: string;
    readonly lastAt?: number;
    readonly times?: number;
  };
  readonly model: string | null;
  readonly running?: boolean;
  readonly children: ReactNode;
}

function Row(props: RowProps) {
  const { exchange, model, index, marked, opened, onOpen, running = false, children } = props;
  const { id, clientName, route, method, pathReceived, startedAt, lastAt, times = 1 } = exchange;
  const path = pathReceived === '' ? 'Several paths' : `${method} ${pathReceived}`;
  const together = `${pluralize(times, 'equal request')} counted together`;
  return (
    <div
      role="row"
      id={rowDomId(id)}
      aria-rowindex={index + 2}
      aria-selected={opened}
      data-marked={marked || undefined}
      data-running={running || undefined}
      className={classes['row']}
      onClick={() => onOpen(id)}
    >
      <Cell column="time">
        <RelativeTime at={lastAt ?? startedAt} />
      </Cell>
      <Cell column="client" title={clientName ?? 'No valid local key'}>
        {clientName ?? <span className={classes['quiet']}>unknown</span>}
      </Cell>
      <Cell column="route" title={path}>
        {routeLabel(route)}
      </Cell>
      <Cell column="model" title={model ?? path}>
        {times > 1 && <span title={together}>{formatCount(times)} times </span>}
        {model ?? <span className={classes['quiet']}>{pathReceived}</span>}
      </Cell>
      {children}
    </div>
  );
}

interface CellProps {
  readonly column: Column;
  readonly title?: string;
  readonly children?: ReactNode;
}

function Cell({ column, title, children }: CellProps) {
  return (
    <div role="gridcell" data-column={column} title={title}>
      {children}
    </div>
  );
}

/** The row of a completed exchange. */
export const EndedRow = memo(function EndedRow(
  props: Place & { readonly exchange: ExchangeSummary },
) {
  const { exchange } = props;
  const { modelSent, modelAsked, repairs, streamed, durationMs } = exchange;
  return (
    <Row {...props} model={modelSent ?? modelAsked}>
      <Cell column="marks">
        <Marks repairs={repairs} streamed={streamed} />
      </Cell>
      <Cell column="status">
        <StatusBadge exchange={exchange} />
      </Cell>
      <Cell column="tokens">
        <Tokens usage={exchange.usage} sent={exchange.attempts > 0} />
      </Cell>
      <Cell column="duration">{formatDuration(durationMs)}</Cell>
    </Row>
  );
});

interface RunningRowProps extends Place {
  readonly exchange: RunningExchange;
  /** Unix time in milliseconds up to which its duration is shown. */
  readonly now: number;
}

/** The row of an exchange in progress. */
export function RunningRow({ now, ...props }: RunningRowProps) {
  const { exchange } = props;
  return (
    <Row {...props} model={exchange.modelSent} running>
      <Cell column="marks">
        <Marks repairs={[]} streamed={exchange.streamed} />
      </Cell>
      <div role="gridcell" data-column="stage">
        <StageBadge stage={exchange.stage} />
      </div>
      <Cell column="duration">{formatDuration(now - exchange.startedAt)}</Cell>
    </Row>
  );
}

/** Placeholder for a row that was dropped from memory and is being fetched. */
export function AbsentRow({ index }: { readonly index: number }) {
  return (
    <div role="row" aria-rowindex={index + 2} className={classes['row']} data-absent>
      <div role="gridcell" aria-label="Loading" />
    </div>
  );
}

function Marks({ repairs, streamed }: Pick<ExchangeSummary, 'repairs' | 'streamed'>) {
  const repaired = `${pluralize(repairs.length, 'repair')}: ${repairs.map(repairTitle).join('; ')}`;
  return (
    <>
      {repairs.length > 0 && (
        <span title={repaired} className={classes['repaired']}>
          <IconTool size={14} role="img" aria-label={repaired} />
        </span>
      )}
      {streamed && (
        <span title="Streamed" className={classes['streamed']}>
          <IconBolt size={14} role="img" aria-label="Streamed" />
        </span>
      )}
    </>
  );
}
