import { Button } from '@mantine/core';
import { describeLimitPeriod, formatLimitAmount } from '../../../shared/money/describe-limit.ts';
import type { LimitState } from '../../../shared/money/limit.ts';
import { useNow } from '../../hooks/use-now.ts';
import { useAllowLimit } from '../../hooks/use-allow-limit.ts';

interface AllowMoreProps {
  readonly limit: LimitState;
  readonly currency: string;
}

/** Buttons that let pass what a limit refuses, or end that. */
export function AllowMore({ limit, currency }: AllowMoreProps) {
  const { id, amount, measure, suspended } = limit;
  const now = useNow();
  const text = `${formatLimitAmount(amount, measure, currency)} ${describeLimitPeriod(limit)}`;
  const { allow, isPending } = useAllowLimit(text);
  if (suspended !== null && now < suspended.until) {
    return (
      <Button
        size="compact-sm"
        variant="default"
        loading={isPending}
        onClick={() => allow(id, 'none')}
      >
        Allow nothing more
      </Button>
    );
  }
  return (
    <>
      <Button
        size="compact-sm"
        variant="default"
        loading={isPending}
        onClick={() => allow(id, 'once')}
      >
        Allow one request
      </Button>
      <Button
        size="compact-sm"
        variant="default"
        loading={isPending}
        onClick={() => allow(id, 'hour')}
      >
        Allow an hour
      </Button>
    </>
  );
}
