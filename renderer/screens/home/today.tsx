import { Skeleton, Text, Tooltip } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { UsageSums } from '../../../shared/history/history.ts';
import { useCalls } from '../../api/client.ts';
import { useInFlight } from '../../api/use-live.ts';
import { ErrorState } from '../../components/states/error-state.tsx';
import { formatShortCount } from '../../format/format.ts';
import { describeErrors } from '../../format/outcome.ts';
import { formatCount, formatDay, pluralize } from '../../../shared/format.ts';
import { NOT_CHARGED } from '../../../shared/money/charge.ts';
import { formatMoney } from '../../../shared/money/format-money.ts';
import { Panel } from '../../components/panel.tsx';
import { ScopeNote, useScopeTerm } from '../../components/scope-note.tsx';
import { ScreenLink } from '../../components/screen-link.tsx';
import classes from './home.module.css';
import { useCurrency } from '../../hooks/use-currency.ts';
import { useIsFree } from '../../hooks/use-is-free.ts';
import { usePriceable } from '../../api/use-priceable.ts';
import { describeSources } from './describe-sums.ts';
import { useDays } from './use-days.ts';

/** Shows today's requests, tokens and errors. */
export function Today() {
  const days = useDays();
  const term = useScopeTerm();
  const today = days.data?.at(-1);
  if (today === undefined && days.isError) {
    return (
      <ErrorState
        title="Could not load today's totals."
        error={days.error}
        onRetry={() => void days.refetch()}
      />
    );
  }
  return (
    <Panel title="Today" aside={<ScopeNote />}>
      {today === undefined || term === null ? (
        <Skeleton h={186} />
      ) : (
        <Figures sums={today} term={term} />
      )}
    </Panel>
  );
}

interface FiguresProps {
  readonly sums: UsageSums;
  /** The term that filters the history by what the sums cover. */
  readonly term: string;
}

function Figures({ sums, term }: FiguresProps) {
  const { total } = useInFlight();
  const sources = describeSources(sums);
  return (
    <>
      <dl className={classes['figures']}>
        <Figure
          name="Requests"
          count={sums.exchanges}
          note={total === 0 ? 'none running' : `${formatCount(total)} running now`}
        />
        <Figure
          name="Errors"
          count={sums.errors}
          tone={sums.errors > sums.refused ? 'bad' : 'none'}
          note={
            sums.errors === 0 ? (
              describeErrors(sums)
            ) : (
              <ScreenLink
                to="/history"
                search={{ filter: `failed since:today ${term}`.trim() }}
                size="xs"
                underline="always"
              >
                {describeErrors(sums)}
              </ScreenLink>
            )
          }
        />
        <Figure name="Input tokens" count={sums.input} note={sources} />
        <Figure name="Output tokens" count={sums.output} note={sources} />
      </dl>
      <Cost sums={sums} />
      <MoneyLimits />
    </>
  );
}

/** What today cost; nothing while no request has a cost or needs a price. */
function Cost({ sums: { cost, costEstimated, unpriced } }: { readonly sums: UsageSums }) {
  const currency = useCurrency();
  const isFree = useIsFree();
  const today = formatDay(Date.now());
  const late = usePriceable({ since: today, until: today }, unpriced);
  if (cost === null && unpriced === 0) return null;
  const rest = unpriced - late;
  const isKnown = cost !== null || rest > 0;
  const amount = cost === null ? 'no price known' : formatMoney(cost, currency);
  return (
    <p className={classes['cost']}>
      Cost:{' '}
      {isKnown && (
        <ScreenLink to="/usage" search={{ period: 'today' }} size="sm" fw={600}>
          {costEstimated > 0 ? `~${amount}` : amount}
        </ScreenLink>
      )}
      {isFree && cost !== null && ` (${NOT_CHARGED})`}
      {rest > 0 &&
        cost !== null &&
        `, without ${pluralize(rest, 'request')} that ${rest === 1 ? 'has' : 'have'} no price`}
      {late > 0 && (
        <>
          {isKnown && ', without '}
          {pluralize(late, 'request')} made before there was a price:{' '}
          <ScreenLink to="/prices" search={{ recost: true }} size="sm" underline="always">
            compute {late === 1 ? 'its cost' : 'their costs'}
          </ScreenLink>
        </>
      )}
    </p>
  );
}

/** Says how much of the limits of money is used, with a link to set one. */
function MoneyLimits() {
  const { data } = useQuery(useCalls().clients.limits.list.queryOptions());
  if (data === undefined) return null;
  const shares = data
    .filter(({ measure }) => measure === 'money')
    .map(({ used, amount }) => Math.floor((100 * used) / amount));
  const most = Math.max(...shares);
  return (
    <p className={classes['cost']}>
      <ScreenLink to="/clients" size="sm" underline="always">
        {shares.length === 0
          ? 'Set a limit'
          : shares.length === 1
            ? `A limit of money: ${most}% used`
            : `${shares.length} limits of money: at most ${most}% used`}
      </ScreenLink>
    </p>
  );
}

interface FigureProps {
  readonly name: string;
  readonly count: number | null;
  readonly note: ReactNode;
  readonly tone?: 'bad' | 'none';
}

function Figure({ name, count, note, tone = 'none' }: FigureProps) {
  return (
    <div>
      <Text component="dt" size="sm" c="dimmed">
        {name}
      </Text>
      <dd>
        <Tooltip
          label={count === null ? 'Unknown' : formatCount(count)}
          disabled={count !== null && formatCount(count) === formatShortCount(count)}
        >
          <span className={classes['figure']} data-figures data-tone={tone}>
            {count === null ? '–' : formatShortCount(count)}
          </span>
        </Tooltip>
        <Text size="xs" c="dimmed" component="div">
          {note}
        </Text>
      </dd>
    </div>
  );
}
