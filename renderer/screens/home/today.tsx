import { Skeleton, Text, Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';
import type { UsageSums } from '../../../shared/history.ts';
import { useInFlight } from '../../api/use-live.ts';
import { ErrorState } from '../../components/error-state.tsx';
import { formatShortCount } from '../../format/format.ts';
import { formatCount } from '../../../shared/format.ts';
import { Panel } from '../../components/panel.tsx';
import { ScreenLink } from '../../components/screen-link.tsx';
import classes from './home.module.css';
import { describeShare, describeSources } from './describe-sums.ts';
import { useDays } from './use-days.ts';

/** Shows today's requests, tokens and errors. */
export function Today() {
  const days = useDays();
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
    <Panel title="Today">
      {today === undefined ? <Skeleton h={186} /> : <Figures sums={today} />}
    </Panel>
  );
}

function Figures({ sums }: { readonly sums: UsageSums }) {
  const { total } = useInFlight();
  const sources = describeSources(sums);
  return (
    <dl className={classes['figures']}>
      <Figure
        name="Requests"
        count={sums.exchanges}
        note={total === 0 ? 'none running' : `${formatCount(total)} running now`}
      />
      <Figure
        name="Errors"
        count={sums.errors}
        tone={sums.errors > 0 ? 'bad' : 'none'}
        note={
          sums.errors === 0 ? (
            describeShare(sums.errors, sums.exchanges)
          ) : (
            <ScreenLink
              to="/history"
              search={{ outcome: 'failed', since: midnight() }}
              size="xs"
              underline="always"
            >
              {describeShare(sums.errors, sums.exchanges)}
            </ScreenLink>
          )
        }
      />
      <Figure name="Input tokens" count={sums.input} note={sources} />
      <Figure name="Output tokens" count={sums.output} note={sources} />
    </dl>
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
        <Tooltip label={count === null ? 'Not known' : formatCount(count)}>
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

function midnight(): number {
  return new Date().setHours(0, 0, 0, 0);
}
