import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { UsageOf, UsageOverview, UsagePeriod } from '../../../shared/history/usage.ts';
import { formatCount, formatDuration, pluralize } from '../../../shared/format.ts';
import { SANDBOX_ID } from '../../../shared/sandbox-id.ts';
import { Panel } from '../../components/panel.tsx';
import { ScreenLink } from '../../components/screen-link.tsx';
import { formatShortCount } from '../../format/format.ts';
import { describeErrors } from '../../format/outcome.ts';
import { usePriceable } from '../../api/use-priceable.ts';
import { formatCostSums } from '../../../shared/money/describe-cost.ts';
import { describeChange, describePeriod, formatRate, hasTail } from './describe-usage.ts';
import classes from './usage.module.css';

interface TotalsProps {
  readonly overview: UsageOverview;
  readonly currency: string;
  readonly of: UsageOf;
  /** The filter of the history that selects the exchanges of the period. */
  readonly filter: string;
}

/** The totals of a period with the change against the period before. */
export function Totals({ overview, currency, of, filter }: TotalsProps) {
  const { totals, before, period } = overview;
  const { errors, exchanges, firstByte, rate } = totals;
  return (
    <Panel title={describePeriod(period)} aside={of === SANDBOX_ID ? <NotCharged /> : null}>
      <dl className={classes['figures']}>
        <Figure name="Money" change={describeChange(totals.cost, before.cost)}>
          <ScreenLink to="/history" search={{ filter }} inherit underline="hover">
            {formatCostSums(totals, currency)}
          </ScreenLink>
        </Figure>
        <Figure name="Requests" change={describeChange(exchanges, before.exchanges)}>
          <ScreenLink to="/history" search={{ filter }} inherit underline="hover">
            {formatShortCount(exchanges)}
          </ScreenLink>
        </Figure>
        <Figure name="Errors" change={describeErrors(totals)}>
          <ScreenLink
            to="/history"
            search={{ filter: `failed ${filter}` }}
            inherit
            underline="hover"
          >
            {formatShortCount(errors)}
          </ScreenLink>
        </Figure>
        <Figure name="Input tokens" change={describeChange(totals.input, before.input)}>
          {shorten(totals.input)}
        </Figure>
        <Figure name="Output tokens" change={describeChange(totals.output, before.output)}>
          {shorten(totals.output)}
        </Figure>
        <Figure
          name="Time to first byte"
          change={
            firstByte && hasTail(firstByte) ? `95% within ${formatDuration(firstByte.p95)}` : null
          }
        >
          {formatDuration(firstByte?.median ?? null)}
        </Figure>
        <Figure name="Output tokens/s" change={rate && `median of ${pluralize(rate.of, 'answer')}`}>
          {formatRate(rate?.median ?? null)}
        </Figure>
      </dl>
      <Gaps overview={totals} period={period} of={of} />
    </Panel>
  );
}

function NotCharged() {
  return (
    <Text span size="xs" c="dimmed">
      Play money of the sandbox, not charged
    </Text>
  );
}

/** Says what the money and the tokens lack. */
function Gaps({
  overview: { unpriced: all, costEstimated, unknown },
  period,
  of,
}: {
  readonly overview: UsageOverview['totals'];
  readonly period: UsagePeriod;
  readonly of: UsageOf;
}) {
  const late = usePriceable(period, all, of);
  const unpriced = all - late;
  if (all === 0 && costEstimated === 0 && unknown === 0) return null;
  return (
    <Text size="sm" mt="sm" component="p" mb={0}>
      {late > 0 && (
        <>
          {pluralize(late, 'request')} {late === 1 ? 'was' : 'were'} made before there was a price,
          and {late === 1 ? 'is' : 'are'} not in the money:{' '}
          <ScreenLink to="/prices" search={{ recost: true }} inherit underline="always">
            compute {late === 1 ? 'its cost' : 'their costs'}
          </ScreenLink>
          .{' '}
        </>
      )}
      {unpriced > 0 && (
        <>
          {pluralize(unpriced, 'request')} {unpriced === 1 ? 'has' : 'have'} no price, or no token
          counts, and {unpriced === 1 ? 'is' : 'are'} not in the money:{' '}
          <ScreenLink to="/prices" inherit underline="always">
            enter prices
          </ScreenLink>
          .{' '}
        </>
      )}
      {costEstimated > 0 && `The cost of ${pluralize(costEstimated, 'request')} is estimated. `}
      {unknown > 0 && `The tokens of ${pluralize(unknown, 'answer')} are unknown.`}
    </Text>
  );
}

interface FigureProps {
  readonly name: string;
  readonly change: string | null;
  readonly children: ReactNode;
}

function Figure({ name, change, children }: FigureProps) {
  return (
    <div>
      <Text component="dt" size="xs" c="dimmed">
        {name}
      </Text>
      <dd>
        <span className={classes['figure']} data-figures>
          {children}
        </span>
        <Text size="xs" c="dimmed" component="div">
          {change}
        </Text>
      </dd>
    </div>
  );
}

function shorten(count: number | null): string {
  return count === null ? formatCount(null) : formatShortCount(count);
}
