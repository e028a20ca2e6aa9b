import { Group, Loader, Text } from '@mantine/core';
import type { DoctorRun, FindingGroup } from '../../../shared/doctor/finding.ts';
import { Panel } from '../../components/panel.tsx';
import { ScreenLink } from '../../components/screen-link.tsx';
import { ErrorState } from '../../components/states/error-state.tsx';
import { FindingList } from './finding-list.tsx';

interface PartPanelsProps {
  readonly title: string;
  /** What is checked, in words. */
  readonly what: string;
  readonly part: {
    readonly data: DoctorRun | undefined;
    readonly error: Error | null;
    readonly isFetching: boolean;
    readonly refetch: () => unknown;
  };
}

/** Shows the groups of one part, each in its panel. */
export function PartPanels({ title, what, part }: PartPanelsProps) {
  const { data, error, isFetching, refetch } = part;
  if (data === undefined || data.groups.length === 0 || error !== null) {
    return (
      <Panel title={title}>
        {error !== null ? (
          <ErrorState
            title="This part could not be checked."
            error={error}
            onRetry={() => void refetch()}
          />
        ) : data === undefined ? (
          <Pending what={what} isFetching={isFetching} />
        ) : (
          <NoProgram />
        )}
      </Panel>
    );
  }
  return data.groups.map((group) => (
    <GroupPanel key={group.id} group={group} isFetching={isFetching} />
  ));
}

interface PendingProps extends Pick<PartPanelsProps, 'what'> {
  readonly isFetching: boolean;
}

function Pending({ what, isFetching }: PendingProps) {
  return isFetching ? (
    <Group gap={8} wrap="nowrap">
      <Loader size={14} aria-hidden />
      <Text size="sm" c="dimmed">
        Checking {what}…
      </Text>
    </Group>
  ) : (
    <Text size="sm" c="dimmed">
      The check was stopped before it had a result.
    </Text>
  );
}

function NoProgram() {
  return (
    <Text size="sm" c="dimmed">
      No program is connected.{' '}
      <ScreenLink to="/clients" search={{ connect: true }} underline="always">
        Connect a program
      </ScreenLink>
    </Text>
  );
}

interface GroupPanelProps {
  readonly group: FindingGroup;
  readonly isFetching: boolean;
}

function GroupPanel({ group: { title, findings }, isFetching }: GroupPanelProps) {
  return (
    <Panel title={title} aside={isFetching ? <Loader size={14} aria-hidden /> : null}>
      <FindingList label={`Findings: ${title}`} name={title} findings={findings} />
    </Panel>
  );
}
