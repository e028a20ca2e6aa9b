import { Badge, Group, Skeleton, Stack, Text, Title, Tooltip } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { describeMisses } from '../../../shared/run/cache-miss.ts';
import { listRunTime } from '../../../shared/run/describe-run.ts';
import { describeCosts } from '../../../shared/money/describe-cost.ts';
import { formatCount, formatDuration, pluralize } from '../../../shared/format.ts';
import type { RunId } from '../../../shared/exchange/exchange.ts';
import type { CostedRun, RunDetail } from '../../../shared/run/run.ts';
import { useCalls } from '../../api/client.ts';
import { useLiveEvents } from '../../api/use-live.ts';
import { ErrorState } from '../../components/states/error-state.tsx';
import { ExportMenu } from '../../components/export/export-menu.tsx';
import { ScreenLink } from '../../components/screen-link.tsx';
import { ShareBar } from '../../components/share-bar.tsx';
import { formatTimestamp } from '../../format/format.ts';
import { useCurrency } from '../../hooks/use-currency.ts';
import { CacheClock } from './cache-clock.tsx';
import { toTitle } from './run-list.tsx';
import classes from './runs.module.css';
import { RunMarks } from './run-marks.tsx';
import { SaveFixture } from './save-fixture.tsx';
import { Sequences } from './sequences.tsx';
import { toHistorySearch } from '../../format/history-search.ts';

const PAUSE_MS = 1_000;

/** Shows a run: its sums, where its time went, and every step. */
export function RunView({ id }: { readonly id: RunId }) {
  const { data, error, refetch } = useQuery(useCalls().history.run.queryOptions({ input: { id } }));
  const reload = useDebouncedCallback(() => void refetch(), PAUSE_MS);
  useLiveEvents(({ kind }) => {
    if (kind === 'history') reload();
  });
  if (data !== undefined) return <Detail detail={data} />;
  if (error !== null) {
    return (
      <ErrorState title="Could not load this run." error={error} onRetry={() => void refetch()} />
    );
  }
  return <Skeleton h={240} m="sm" />;
}

function Detail({ detail }: { readonly detail: CostedRun }) {
  const { run, sequences, moreSteps, isInHistory } = detail;
  return (
    <Stack gap="md" component="article" aria-label={toTitle(run)}>
      <Stack gap={6}>
        <Group gap="xs">
          <Title order={2}>{toTitle(run)}</Title>
          {run.failed > 0 && (
            <Badge color={run.endedWell ? 'gray' : 'red'} variant="light">
              {run.failed} failed
            </Badge>
          )}
          {run.conversation === null && run.steps > 1 && <RecognisedBadge />}
          <ExportMenu
            part={{ kind: 'run', id: run.id, steps: run.steps }}
            label="Export this run"
          />
          <SaveFixture key={run.id} id={run.id} />
          <RunMarks key={`marks ${run.id}`} run={run} />
        </Group>
        <Text size="sm" c="dimmed" data-figures>
          {formatTimestamp(run.startedAt)} · {formatDuration(run.endedAt - run.startedAt)} ·{' '}
          {pluralize(run.steps, 'step')} · {pluralize(run.calls, 'tool call')}
        </Text>
      </Stack>
      <Facts detail={detail} />
      <ShareBar label="Where the time went" shares={listRunTime(sequences)} />
      {isInHistory && (
        <ScreenLink size="sm" to="/history" search={toHistorySearch({ run: run.id })}>
          All requests of this run
        </ScreenLink>
      )}
      <Sequences detail={detail} />
      {moreSteps > 0 && (
        <Text size="sm" c="dimmed">
          {pluralize(moreSteps, 'later step')} of this run {moreSteps === 1 ? 'is' : 'are'} not
          listed.
        </Text>
      )}
    </Stack>
  );
}

function Facts({ detail: { run, sequences, costs, missed } }: { readonly detail: CostedRun }) {
  const currency = useCurrency();
  return (
    <dl className={classes['facts']}>
      <Fact name="Client" value={run.clientName ?? 'unknown'} />
      <Fact name={run.models.length === 1 ? 'Model' : 'Models'} value={run.models.join(', ')} />
      <Fact name="Tokens in" value={formatInput(run)} />
      <Fact name="Tokens out" value={formatCount(run.output)} />
      <Fact name="Cost" value={describeCosts(Object.values(costs), currency) ?? ''} />
      {missed.times > 0 && (
        <Fact name="The cache missed" value={describeMisses(missed, currency) ?? ''} />
      )}
      <CacheClock run={run.id} sequences={sequences} />
    </dl>
  );
}

/** Marks a run that its client did not name: separate requests may have been put together. */
function RecognisedBadge() {
  return (
    <Tooltip
      label="The client does not name its runs. Requests with the same messages, or with more after them, count as one run, also when they are independent."
      multiline
      maw={320}
    >
      <Badge size="sm" variant="default" tt="none" fw={500} tabIndex={0}>
        recognised by its messages
      </Badge>
    </Tooltip>
  );
}

function formatInput({ input, cacheRead }: RunDetail['run']): string {
  if (input === null || cacheRead === null || input === 0) return formatCount(input);
  return `${formatCount(input)}, ${Math.round((100 * cacheRead) / input)} % from the cache`;
}

function Fact({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd data-figures>{value === '' ? '–' : value}</dd>
    </div>
  );
}
