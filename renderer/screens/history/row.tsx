import { VisuallyHidden } from '@mantine/core';
import { IconBolt, IconNote, IconPinFilled, IconTool } from '@tabler/icons-react';
import { memo, type ReactNode } from 'react';
import type { ExchangeId } from '../../../shared/exchange/exchange.ts';
import type { MarkSummary } from '../../../shared/exchange/exchange-mark.ts';
import type {
  ExchangeSummary,
  RunningExchange,
  StatusChecks,
} from '../../../shared/history/history.ts';
import { RelativeTime } from '../../components/relative-time.tsx';
import { reachedService } from '../../../shared/exchange/outcome.ts';
import { formatDuration } from '../../../shared/format.ts';
import { describeRepairs } from '../../format/repair.ts';
import { routeLabel } from '../../format/route.ts';
import { StageBadge, StatusBadge } from '../../components/badges/status-badge.tsx';
import { useClipped } from '../../hooks/use-clipped.ts';
import { ChecksCount } from '../../components/badges/checks-count.tsx';
import { ModelId } from '../../components/model-id/model-id.tsx';
import { RequestsCount } from '../../components/badges/requests-count.tsx';
import { HttpsAdvice } from '../../components/https-advice.tsx';
import { TagList } from '../../components/badges/tag-list.tsx';
import { ShortCost } from '../../components/cost.tsx';
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
  ['cost', 'Cost'],
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

/** The place of a row in the list. */
export interface Place {
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
    readonly checks?: StatusChecks | null;
    readonly errorCode?: string | null;
    readonly service?: string | null;
    readonly mark?: MarkSummary | null;
  };
  readonly model: string | null;
  readonly running?: boolean;
  /** Name of the service; `null` while all exchanges are of one. */
  readonly serviceName: string | null;
  readonly children: ReactNode;
}

function Row(props: RowProps) {
  const { exchange, model, index, marked, opened, onOpen, running = false } = props;
  const { serviceName, children } = props;
  const { id, clientName, route, method, pathReceived, startedAt, lastAt } = exchange;
  const { times = 1, checks = null, mark = null } = exchange;
  const path = pathReceived === '' ? noPathLabel(exchange) : `${method} ${pathReceived}`;
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
      <Cell column="client" text={clientName} title="No valid local key">
        {clientName ?? <span className={classes['dimmed']}>unknown</span>}
      </Cell>
      <Cell column="route" title={model === null ? undefined : path}>
        {pathReceived === '' ? '–' : routeLabel(route)}
      </Cell>
      <Cell column="model" text={model ?? path}>
        {mark !== null && <MarkCells mark={mark} />}
        {serviceName !== null && <span className={classes['tag']}>{serviceName}</span>}
        {times > 1 && <RequestsCount times={times} />}
        {checks !== null && <ChecksCount checks={checks} />}
        {model === null ? (
          <span className={classes['path']} data-clips>
            <PathText exchange={exchange} />
          </span>
        ) : (
          <ModelId id={model} providerClass={classes['provider']} />
        )}
      </Cell>
      {children}
    </div>
  );
}

/** Tags that a row shows; the others are counted. */
const SHOWN_TAGS = 2;

function MarkCells({ mark: { pinned, hasNote, tags } }: { readonly mark: MarkSummary }) {
  return (
    <span className={classes['marked']}>
      {pinned && (
        <span title="Pinned">
          <IconPinFilled size={13} role="img" aria-label="Pinned" />
        </span>
      )}
      {hasNote && (
        <span title="Has a note">
          <IconNote size={13} role="img" aria-label="Has a note" />
        </span>
      )}
      <span className={classes['tags']}>
        <TagList tags={tags} limit={SHOWN_TAGS} />
      </span>
    </span>
  );
}

/** Names a request without a readable path. */
function noPathLabel({ errorCode }: RowProps['exchange']): string {
  if (errorCode === 'https_not_supported') return 'https:// instead of http://';
  return errorCode === 'malformed_request' ? 'Not a valid HTTP request' : 'Several paths';
}

function PathText({ exchange }: Pick<RowProps, 'exchange'>) {
  if (exchange.errorCode === 'https_not_supported') return <HttpsAdvice />;
  return exchange.pathReceived === '' ? noPathLabel(exchange) : exchange.pathReceived;
}

interface CellProps {
  readonly column: Column;
  /** The full text, for the tooltip when it is cut off. */
  readonly text?: string | null;
  /** A tooltip that says more than the cell, where it has no `text`. */
  readonly title?: string | undefined;
  readonly children?: ReactNode;
}

function Cell({ column, text = null, title, children }: CellProps) {
  const { clipped, measuring } = useClipped();
  const tooltip = text === null ? title : clipped ? text : undefined;
  return (
    <div role="gridcell" data-column={column} title={tooltip} {...measuring}>
      {children}
    </div>
  );
}

/** The row of a completed exchange. */
export const EndedRow = memo(function EndedRow(
  props: Place &
    Pick<RowProps, 'serviceName'> & {
      readonly exchange: ExchangeSummary;
      /** The currency of costs. */
      readonly currency: string;
    },
) {
  const { exchange, currency } = props;
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
        <Tokens usage={exchange.usage} sent={reachedService(exchange)} />
      </Cell>
      <Cell column="cost">
        <ShortCost cost={exchange.cost} service={exchange.service} currency={currency} />
      </Cell>
      <Cell column="duration">{formatDuration(durationMs)}</Cell>
    </Row>
  );
});

interface RunningRowProps extends Place, Pick<RowProps, 'serviceName'> {
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
  const repaired = describeRepairs(repairs);
  return (
    <>
      {repaired !== null && (
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
