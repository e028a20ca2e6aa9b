import { Loader, Tooltip, VisuallyHidden } from '@mantine/core';
import { IconAlertTriangle, IconCheck, IconDoorExit, IconX } from '@tabler/icons-react';
import type { ExchangeSummary, RunningExchange } from '../../shared/history.ts';
import { describeOutcome, stageLabel } from '../format/outcome.ts';
import classes from './status-badge.module.css';

const ICONS = { good: IconCheck, warn: IconAlertTriangle, bad: IconX, none: IconDoorExit };

interface StatusBadgeProps {
  readonly exchange: Pick<ExchangeSummary, 'status' | 'errorCode' | 'endedBy'>;
  /** Shows the meaning beside the number instead of in a tooltip. */
  readonly withLabel?: boolean;
}

/** Shows how an exchange ended: number, icon, colour and text. */
export function StatusBadge({ exchange, withLabel = false }: StatusBadgeProps) {
  const { tone, status, label } = describeOutcome(exchange);
  const Icon = ICONS[tone];
  return (
    <Tooltip label={`${status}: ${label}`}>
      <span className={classes['badge']} data-tone={tone}>
        <Icon size={13} stroke={2.2} aria-hidden />
        <span data-figures>{status}</span>
        {withLabel ? (
          <span className={classes['words']}>{label}</span>
        ) : (
          <VisuallyHidden>{label}</VisuallyHidden>
        )}
      </span>
    </Tooltip>
  );
}

/** Shows the current phase of an exchange in progress. */
export function StageBadge({ stage }: { readonly stage: RunningExchange['stage'] }) {
  return (
    <span className={classes['badge']} data-tone="running">
      <Loader size={11} aria-hidden />
      <span className={classes['words']}>{stageLabel(stage)}</span>
    </span>
  );
}
