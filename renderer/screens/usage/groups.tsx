import { SegmentedControl, Skeleton, Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import {
  mayLackRuns,
  type Speed,
  type UsageGroup,
  type UsageGrouping,
  type UsageOf,
  type UsagePeriod,
} from '../../../shared/history/usage.ts';
import { formatCount, formatDuration } from '../../../shared/format.ts';
import { isRoute } from '../../../shared/exchange/route-label.ts';
import type { RunId } from '../../../shared/exchange/exchange.ts';
import { useCalls } from '../../api/client.ts';
import { readId } from '../../search-params.ts';
import { Panel } from '../../components/panel.tsx';
import { ScreenLink } from '../../components/screen-link.tsx';
import { ErrorState } from '../../components/states/error-state.tsx';
import { formatShortCount } from '../../format/format.ts';
import { routeLabel } from '../../format/route.ts';
import { formatCostSums } from '../../../shared/money/describe-cost.ts';
import { formatRate, hasTail } from './describe-usage.ts';
import { toFilter } from './history-filter.ts';
import classes from './usage.module.css';

const LABELS: readonly { readonly value: UsageGrouping; readonly label: string }[] = [
  { value: 'model', label: 'Model' },
  { value: 'client', label: 'Client' },
  { value: 'run', label: 'Run' },
  { value: 'project', label: 'Project' },
  { value: 'route', label: 'Route' },
  { value: 'tag', label: 'Tag' },
];
const NONE: Readonly<Record<UsageGrouping, string>> = {
  model: 'No model',
  client: 'Unknown client',
  project: 'No project named',
  route: 'No route',
  run: 'No run',
  tag: 'No tag',
};
const NO_TAG = 'No request of this period has a tag. Tags are given in the details of a request.';

interface GroupsProps {
  readonly period: UsagePeriod;
  readonly of: UsageOf;
  readonly by: UsageGrouping;
  readonly currency: string;
  readonly term: string;
  readonly onChange: (by: UsageGrouping) => void;
}

/** A table of the usage of each model, client, run, project, route or tag, the most expensive first. */
export function Groups({ period, of, by, currency, term, onChange }: GroupsProps) {
  const { groups } = useCalls().usage;
  const query = useQuery(
    groups.queryOptions({ input: { ...period, of, by }, refetchOnMount: 'always' }),
  );
  const { data, isError, error, refetch } = query;
  return (
    <Panel
      title="By group"
      aside={
        <SegmentedControl
          size="xs"
          data={[...LABELS]}
          value={by}
          onChange={onChange}
          aria-label="Groups"
        />
      }
    >
      {isError && (
        <ErrorState
          title="Could not load the groups."
          error={error}
          onRetry={() => void refetch()}
        />
      )}
      {data === undefined && !isError && <Waiting />}
      {data?.groups.length === 0 && (
        <Text size="sm" c="dimmed">
          {by === 'tag' ? NO_TAG : 'No requests in this period.'}
        </Text>
      )}
      {data !== undefined && data.groups.length > 0 && (
        <GroupTable {...{ groups: data.groups, by, currency, period, term }} />
      )}
      {data !== undefined && data.more > 0 && (
        <Text size="xs" c="dimmed" mt="xs">
          {formatCount(data.more)} more with less usage.
        </Text>
      )}
    </Panel>
  );
}

function Waiting() {
  return (
    <Stack gap={6}>
      {Array.from({ length: 5 }, (_, row) => (
        <Skeleton key={row} h={32} />
      ))}
    </Stack>
  );
}

interface GroupTableProps extends Omit<GroupsProps, 'onChange' | 'of'> {
  readonly groups: readonly UsageGroup[];
}

function GroupTable({ groups, by, ...rest }: GroupTableProps) {
  const hasCost = groups.some(({ cost }) => (cost ?? 0) > 0);
  const sizeOf = ({ cost, input, output }: UsageGroup) =>
    hasCost ? (cost ?? 0) : (input ?? 0) + (output ?? 0);
  const most = Math.max(1, ...groups.map(sizeOf));
  const isCut = by === 'run' && mayLackRuns(groups);
  return (
    <Table.ScrollContainer
      minWidth={300}
      scrollAreaProps={{ tabIndex: 0, 'aria-label': 'Usage of groups' }}
    >
      <Table className={classes['table'] ?? ''} verticalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{LABELS.find(({ value }) => value === by)?.label}</Table.Th>
            <Table.Th ta="right">Money</Table.Th>
            <Table.Th ta="right">Requests</Table.Th>
            <Table.Th ta="right" data-wide>
              Errors
            </Table.Th>
            <Table.Th ta="right" data-wide>
              Input
            </Table.Th>
            <Table.Th ta="right" data-wide>
              Output
            </Table.Th>
            <Table.Th ta="right" data-wide>
              Cached
            </Table.Th>
            <Table.Th ta="right" data-wide>
              First byte
            </Table.Th>
            <Table.Th ta="right" data-wide>
              Tokens/s
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {groups.map((group) => (
            <GroupRow
              key={group.run ?? group.name}
              {...{ group, by, ...rest }}
              none={isCut ? 'No run, or an earlier one' : NONE[by]}
              share={sizeOf(group) / most}
            />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

interface GroupRowProps extends Omit<GroupsProps, 'onChange' | 'of'> {
  readonly group: UsageGroup;
  /** The name of the group without one. */
  readonly none: string;
  /** Part of the largest group. */
  readonly share: number;
}

function GroupRow({ group, none, by, currency, period, term, share }: GroupRowProps) {
  const { exchanges, errors, input, output, cacheRead, firstByte, rate } = group;
  return (
    <Table.Tr>
      <Table.Th scope="row" fw={400}>
        <GroupName {...{ group, none, by, period, term }} />
        <div className={classes['bar']} aria-hidden style={{ width: `${100 * share}%` }} />
      </Table.Th>
      <Table.Td ta="right">{formatCostSums(group, currency)}</Table.Td>
      <Table.Td ta="right">{formatCount(exchanges)}</Table.Td>
      <Table.Td ta="right" data-wide>
        {formatCount(errors)}
      </Table.Td>
      <Table.Td ta="right" data-wide>
        {shorten(input)}
      </Table.Td>
      <Table.Td ta="right" data-wide>
        {shorten(output)}
      </Table.Td>
      <Table.Td ta="right" data-wide>
        {shorten(cacheRead)}
      </Table.Td>
      <Table.Td ta="right" data-wide>
        <SpeedCell speed={firstByte} format={formatDuration} />
      </Table.Td>
      <Table.Td ta="right" data-wide>
        <SpeedCell speed={rate} format={formatRate} />
      </Table.Td>
    </Table.Tr>
  );
}

interface SpeedCellProps {
  readonly speed: Speed | null;
  readonly format: (value: number | null) => string;
}

/** Median, and the 95th percentile of several. */
function SpeedCell({ speed, format }: SpeedCellProps) {
  if (speed === null) return <>–</>;
  return (
    <>
      {format(speed.median)}
      {hasTail(speed) && (
        <Text size="xs" c="dimmed">
          p95 {format(speed.p95)}
        </Text>
      )}
    </>
  );
}

/** A link to the requests of a group. The task of a run is known while its requests are kept. */
function GroupName({
  group: { name, run },
  none,
  by,
  period,
  term,
}: Pick<GroupRowProps, 'group' | 'none' | 'by' | 'period' | 'term'>) {
  const text = by === 'route' && isRoute(name) ? routeLabel(name) : name || none;
  if (run !== null && name !== '') {
    return (
      <ScreenLink to="/history/runs" search={{ run: readId<RunId>(run) }} size="sm">
        {text}
      </ScreenLink>
    );
  }
  if (run !== null) {
    return (
      <ScreenLink to="/history" search={{ filter: `run:${run} ${term}`.trim() }} size="sm">
        {run}
      </ScreenLink>
    );
  }
  if (name === '') return <>{text}</>;
  return (
    <ScreenLink to="/history" search={{ filter: toFilter(period, term, { by, name }) }} size="sm">
      {text}
    </ScreenLink>
  );
}

function shorten(count: number | null): string {
  return count === null ? '–' : formatShortCount(count);
}
