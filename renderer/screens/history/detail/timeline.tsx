import { Text } from '@mantine/core';
import type { ExchangeRecord } from '../../../../shared/exchange/exchange.ts';
import { pluralize, formatDuration } from '../../../../shared/format.ts';
import { type Span, toSpans } from '../../../../shared/exchange/exchange-spans.ts';
import { reachedService } from '../../../../shared/exchange/outcome.ts';
import classes from './timeline.module.css';

const LABELS: Readonly<Record<Span['kind'], string>> = {
  gatehouse: 'In Gatehouse',
  held: 'Held by a person',
  waiting: 'Until the first byte',
  answering: 'Answering',
};

/** Formats short durations to the tenth of a millisecond: the time in Gatehouse itself is mostly below one. */
function formatFine(ms: number): string {
  if (ms < 0.05) return '< 0.1 ms';
  return ms < 10 ? `${ms.toFixed(1)} ms` : formatDuration(ms);
}

interface TimelineProps {
  readonly exchange: ExchangeRecord;
  /** The time for which a person let it wait; absent where that is not known. */
  readonly heldMs: number | undefined;
}

/** Shows the phases of an exchange as bars with their durations. */
export function Timeline({ exchange, heldMs }: TimelineProps) {
  const { durationMs } = exchange;
  const total = Math.max(durationMs, 1);
  return (
    <>
      <dl className={classes['spans']}>
        {toSpans({ ...exchange, heldMs }).map(({ kind, from, to }) => (
          <div key={kind} className={classes['span']}>
            <dt>{LABELS[kind]}</dt>
            <dd className={classes['track']} aria-hidden>
              <span
                className={classes['bar']}
                data-kind={kind}
                style={{
                  left: `${(from / total) * 100}%`,
                  width: `${((to - from) / total) * 100}%`,
                }}
              />
            </dd>
            <dd className={classes['duration']}>{formatFine(to - from)}</dd>
          </div>
        ))}
        <div className={classes['span']} data-sum>
          <dt>Received to last byte</dt>
          <dd className={classes['track']} aria-hidden />
          <dd className={classes['duration']}>{formatFine(durationMs)}</dd>
        </div>
      </dl>
      <Text size="xs" c="dimmed" mt={4}>
        {describeWait(exchange, heldMs)}
      </Text>
    </>
  );
}

/** Says what the time until the first byte includes. */
function describeWait(exchange: ExchangeRecord, heldMs: number | undefined): string {
  const { attempts, times, repairs } = exchange;
  if (!reachedService(exchange)) {
    const first = times > 1 ? ' The times are those of the first request.' : '';
    return `Nothing was sent to the service.${first}`;
  }
  const isHeld = repairs.some(({ code }) => code === 'held');
  const parts = [
    'the client’s upload time',
    isHeld && heldMs === undefined ? 'the time for which a person let it wait' : '',
    attempts > 1 ? `${pluralize(attempts, 'attempt')} and the pauses between them` : '',
  ].filter((part) => part !== '');
  return `The time until the first byte includes ${parts.join(', and ')}.`;
}
