import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { formatLimitAmount } from '../../../shared/money/describe-limit.ts';
import { isAtOnce, type LimitKind, type TimePeriod } from '../../../shared/money/limit.ts';
import { useCalls } from '../../api/client.ts';

interface UsedNoteProps {
  readonly kind: LimitKind;
  readonly currency: string;
  /** The amount of the limit, in its unit; `null` while none is typed. */
  readonly amount: number | null;
}

/** Says how much of a limit would be used now, and whether it would refuse requests at once. */
export function UsedNote({ kind, currency, amount }: UsedNoteProps) {
  const { data, isError } = useQuery(useCalls().clients.limits.used.queryOptions({ input: kind }));
  if (isError) return 'What is used now could not be looked up.';
  if (data === undefined) return 'Looking up what is used now…';
  const { used } = data;
  const isUsedUp = amount !== null && used >= amount;
  return (
    <>
      {describeUsed(kind, used, currency)}
      {isUsedUp && (
        <Text span inherit c="var(--gate-bad)">
          {kind.period === 'run'
            ? ' With this amount its requests are refused at once.'
            : ' With this amount requests are refused at once.'}
        </Text>
      )}
    </>
  );
}

function describeUsed({ measure, period, rolling }: LimitKind, used: number, currency: string) {
  if (isAtOnce(measure)) {
    return period === 'run' ? `Most of one run now: ${used}.` : `In progress now: ${used}.`;
  }
  const amount = formatLimitAmount(used, measure, currency);
  if (period === 'run') return `Used by the run that used most lately: ${amount}.`;
  return `Used ${rolling ? ROLLING[period] : CALENDAR[period]}: ${amount}.`;
}

const CALENDAR: Readonly<Record<TimePeriod, string>> = {
  minute: 'in this minute',
  hour: 'in this hour',
  day: 'today',
  week: 'this week',
  month: 'this month',
};

const ROLLING: Readonly<Record<TimePeriod, string>> = {
  minute: 'in the last 60 seconds',
  hour: 'in the last 60 minutes',
  day: 'in the last 24 hours',
  week: 'in the last 7 days',
  month: 'in the last 31 days',
};
