import { Progress, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { LimitState } from '../../../../shared/money/limit.ts';
import { describeLimitPeriod, formatLimitAmount } from '../../../../shared/money/describe-limit.ts';
import { useCalls } from '../../../api/client.ts';
import { useCurrency } from '../../../hooks/use-currency.ts';

/** Returns of the limits of a client the one of which the largest part is used; `undefined` when it has none. */
export function useFullestLimit(clientId: string): LimitState | undefined {
  const { data = [] } = useQuery(useCalls().clients.limits.list.queryOptions());
  return data
    .filter((limit) => limit.clientId === clientId)
    .toSorted((one, other) => other.used / other.amount - one.used / one.amount)[0];
}

/** Shows how much of a limit is used, as an amount and as a bar. */
export function LimitShare({ limit }: { readonly limit: LimitState }) {
  const { measure, used, amount } = limit;
  const currency = useCurrency();
  const [now, most] = [used, amount].map((one) => formatLimitAmount(one, measure, currency));
  const share = Math.min(100, (100 * used) / amount);
  return (
    <>
      <Text size="xs" truncate title={`${now} of ${most} ${describeLimitPeriod(limit)} are used`}>
        {most} {describeLimitPeriod(limit)}
      </Text>
      <Progress
        size={4}
        value={share}
        color={share < 80 ? 'gate' : 'var(--gate-warn)'}
        aria-label={`${Math.floor(share)}% is used`}
      />
    </>
  );
}
