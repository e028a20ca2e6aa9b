import { Badge, Text, UnstyledButton } from '@mantine/core';
import { formatDuration, pluralize } from '../../../shared/format.ts';
import type { RunId } from '../../../shared/exchange/exchange.ts';
import { formatRunCost } from '../../../shared/money/describe-cost.ts';
import { describeMatch } from '../../../shared/run/describe-run.ts';
import type { ListedRun, RunMatch, RunSummary } from '../../../shared/run/run.ts';
import { RelativeTime } from '../../components/relative-time.tsx';
import { ScreenLink } from '../../components/screen-link.tsx';
import { formatShortCount } from '../../format/format.ts';
import { useCurrency } from '../../hooks/use-currency.ts';
import classes from './runs.module.css';

interface RunListProps {
  readonly runs: readonly ListedRun[];
  /** Where those runs match that were found by their requests and responses. */
  readonly matches: ReadonlyMap<string, RunMatch>;
  readonly shown: RunId | null;
  readonly onOpen: (id: RunId) => void;
}

/** Lists runs, the latest first. */
export function RunList({ runs, matches, shown, onOpen }: RunListProps) {
  const currency = useCurrency();
  return (
    <ul className={classes['runs']} aria-label="Runs">
      {runs.map((run) => (
        <li key={run.id}>
          <UnstyledButton
            className={classes['run'] ?? ''}
            aria-current={run.id === shown ? 'true' : undefined}
            onClick={() => onOpen(run.id)}
          >
            <span className={classes['title']}>{toTitle(run)}</span>
            <Text size="xs" c="dimmed" component="span" data-figures>
              {run.clientName ?? 'Unknown client'} · <RelativeTime at={run.endedAt} /> ·{' '}
              {pluralize(run.steps, 'step')} · {formatDuration(run.endedAt - run.startedAt)}
              {run.input !== null &&
                ` · ${formatShortCount(run.input)}\u{A0}${run.input === 1 ? 'token' : 'tokens'}\u{A0}in`}
              {(run.money.cost !== null || run.money.unpriced > 0) &&
                ` · ${formatRunCost(run.money, currency)}`}
            </Text>
            {run.failed > 0 && (
              <Badge size="xs" color={run.endedWell ? 'gray' : 'red'} variant="light">
                {run.failed} failed
              </Badge>
            )}
          </UnstyledButton>
          <Match match={matches.get(run.id)} />
        </li>
      ))}
    </ul>
  );
}

/** Says where a run matches, with a link to that request. */
function Match({ match }: { readonly match: RunMatch | undefined }) {
  if (match === undefined) return null;
  return (
    <div className={classes['match']}>
      <ScreenLink size="xs" underline="always" to="/history" search={{ exchange: match.id }}>
        Found in {describeMatch(match)}
      </ScreenLink>
    </div>
  );
}

/** Returns the task of a run, or says that it has no text. */
export function toTitle({ title }: RunSummary): string {
  return title === '' ? 'Without a text' : title;
}
