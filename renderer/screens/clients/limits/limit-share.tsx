import { Group, Progress, Text } from '@mantine/core';
import type { LimitState } from '../../../../shared/money/limit.ts';
import { describeLimitPeriod, formatLimitAmount } from '../../../../shared/money/describe-limit.ts';
import { useCurrency } from '../../../hooks/use-currency.ts';

/** Shows how much of the first of some limits is used, as an amount and as a bar, and how many more there are. */
export function LimitShare({ limits }: { readonly limits: readonly LimitState[] }) {
  const currency = useCurrency();
  const [limit, ...others] = limits;
  if (limit === undefined) return '–';
  const { used, amount } = limit;
  const share = Math.min(100, (100 * used) / amount);
  const describe = (one: LimitState) =>
    `${formatLimitAmount(one.used, one.measure, currency)} of ${formatLimitAmount(one.amount, one.measure, currency)} ${describeLimitPeriod(one)} are used`;
  return (
    <>
      <Group gap={4} wrap="nowrap" justify="space-between" title={limits.map(describe).join('\n')}>
        <Text size="xs" truncate>
          {formatLimitAmount(amount, limit.measure, currency)} {describeLimitPeriod(limit)}
        </Text>
        {others.length > 0 && (
          <Text size="xs" c="dimmed" flex="none">
            + {others.length} more
          </Text>
        )}
      </Group>
      <Progress
        size={4}
        value={share}
        color={share < 80 ? 'gate' : 'var(--gate-warn)'}
        aria-label={`${Math.floor(share)}% is used`}
      />
    </>
  );
}
