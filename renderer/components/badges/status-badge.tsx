import { Loader, VisuallyHidden } from '@mantine/core';
import { IconAlertTriangle, IconCheck, IconDoorExit, IconX } from '@tabler/icons-react';
import type { ExchangeSummary, RunningExchange } from '../../../shared/history/history.ts';
import { isRepeatedOrder } from '../../../shared/exchange/outcome.ts';
import { useClipped } from '../../hooks/use-clipped.ts';
import { describeOutcome, stageLabel } from '../../format/outcome.ts';
import classes from './status-badge.module.css';

const ICONS = { good: IconCheck, warn: IconAlertTriangle, bad: IconX, none: IconDoorExit };

interface StatusBadgeProps {
  readonly exchange: Pick<ExchangeSummary, 'status' | 'errorCode' | 'endedBy'> &
    Partial<Pick<ExchangeSummary, 'clientName' | 'route' | 'attempts'>>;
  /** Shows the meaning of a success beside its number, too; that of a failure or a repeated order always stands there. */
  readonly withLabel?: boolean;
}

/** Shows how an exchange ended: number, icon, colour and text. */
export function StatusBadge({ exchange, withLabel = false }: StatusBadgeProps) {
  const { tone, status, label } = describeOutcome(exchange);
  const Icon = ICONS[tone];
  const isLabelled = withLabel || tone !== 'good' || isRepeatedOrder(exchange);
  // The number alone would look like a success.
  const isMisleading = tone !== 'good' && (exchange.status === null || exchange.status < 400);
  const { clipped, measuring } = useClipped(`.${classes['label']}`);
  return (
    <span
      className={classes['badge']}
      title={isLabelled && !clipped ? undefined : `${status}: ${label}`}
      data-tone={tone}
      data-worded={(isLabelled && isMisleading) || undefined}
      {...measuring}
    >
      <Icon size={13} stroke={2.2} aria-hidden />
      <span data-figures data-number>
        {status}
      </span>
      {isLabelled ? (
        <span className={classes['label']} data-words>
          {label}
        </span>
      ) : (
        <VisuallyHidden>{label}</VisuallyHidden>
      )}
    </span>
  );
}

/** Shows the current phase of an exchange in progress. */
export function StageBadge({ stage }: { readonly stage: RunningExchange['stage'] }) {
  return (
    <span className={classes['badge']} data-tone="running">
      <Loader size={11} aria-hidden />
      <span className={classes['label']}>{stageLabel(stage)}</span>
    </span>
  );
}
