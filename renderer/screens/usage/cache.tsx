import { Text } from '@mantine/core';
import type { UsageOf, UsageOverview } from '../../../shared/history/usage.ts';
import { formatMoney } from '../../../shared/money/format-money.ts';
import { formatCount } from '../../../shared/format.ts';
import { SANDBOX_ID } from '../../../shared/sandbox-id.ts';
import { Panel } from '../../components/panel.tsx';

interface CacheProps {
  readonly overview: UsageOverview;
  readonly currency: string;
  readonly of: UsageOf;
}

/** Says how much of the input came from caches and how much that saved, and how much was written to them. */
export function Cache({ overview: { cache, totals }, currency, of }: CacheProps) {
  const { tokens, counted, saved } = cache;
  const { cacheWrite, cacheWriteHour } = totals;
  const share = totals.input ? Math.round((tokens / totals.input) * 100) : 0;
  return (
    <Panel title="Saved by caching">
      {tokens === 0 ? (
        <Text size="sm" c="dimmed">
          No input of this period was read from a cache.
        </Text>
      ) : (
        <Text size="sm">
          {saved !== null && (
            <>
              <b data-figures>{formatMoney(saved, currency)}</b> against the price of other
              input.{' '}
            </>
          )}
          {formatCount(tokens)} tokens were read from caches, {share}% of the input.
          {of === SANDBOX_ID && ' What they saved is not computed, because nobody is charged.'}
          {of !== SANDBOX_ID &&
            counted < tokens &&
            ` ${saved === null ? 'What they saved cannot be computed' : `${formatCount(tokens - counted)} of them are not in the amount`}: they have no price, or one that depends on the length of a request.`}
        </Text>
      )}
      {(cacheWrite ?? 0) > 0 && (
        <Text size="sm" mt="xs">
          {formatCount(cacheWrite)} tokens were written to caches
          {(cacheWriteHour ?? 0) > 0 &&
            `, ${formatCount(cacheWriteHour)} of them to be kept for an hour`}
          .
        </Text>
      )}
    </Panel>
  );
}
