import { Button, Group, Skeleton, Stack, Text, Tooltip } from '@mantine/core';
import {
  IconAlertTriangle,
  IconCircleCheck,
  IconCircleDashed,
  IconCircleX,
  IconFlask,
  IconGauge,
  IconKey,
  IconPlugConnectedX,
  IconToolsOff,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ComponentType, ReactNode } from 'react';
import type { Status } from '../../../shared/status.ts';
import { useCalls } from '../../api/client.ts';
import { RelativeTime } from '../../components/relative-time.tsx';
import { CopyField } from '../../components/copy-field.tsx';
import { ErrorState } from '../../components/states/error-state.tsx';
import { formatSince, pluralize } from '../../../shared/format.ts';
import { useSlowNow } from '../../hooks/use-now.ts';
import { usePauseButton } from '../../hooks/use-pause-button.ts';
import { Panel } from '../../components/panel.tsx';
import { keyTone } from '../../format/key-tone.ts';
import type { Tone } from '../../format/outcome.ts';
import { ScreenLink } from '../../components/screen-link.tsx';
import classes from './home.module.css';

/** Refresh interval while the service is rate limited: its numbers change without an event. */
const REFETCH_MS = 2_000;

/** Shows the service in use, whether it answers, and the addresses for clients. */
export function Service() {
  const now = useSlowNow();
  const query = useQuery(
    useCalls().status.get.queryOptions({
      refetchInterval: ({ state: { data } }) => isLimited(data) && REFETCH_MS,
    }),
  );
  if (query.data === undefined && query.isError) {
    return (
      <ErrorState
        title="Could not load the state of Gatehouse."
        error={query.error}
        onRetry={() => void query.refetch()}
      />
    );
  }
  return (
    <Panel
      title={stateTitle(query.data, now)}
      aside={
        <Group gap="sm">
          <ScreenLink to="/settings" size="sm">
            Settings
          </ScreenLink>
          <PauseAction />
        </Group>
      }
    >
      {query.data === undefined ? <Skeleton h={186} /> : <State status={query.data} />}
    </Panel>
  );
}

/** Pauses and resumes Gatehouse. */
function PauseAction() {
  const { label, description, icon: Icon, disabled, onClick } = usePauseButton();
  return (
    <Tooltip label={description}>
      <Button
        size="compact-sm"
        variant={label === 'Resume' ? 'filled' : 'default'}
        leftSection={<Icon size={14} aria-hidden />}
        disabled={disabled}
        onClick={onClick}
      >
        {label}
      </Button>
    </Tooltip>
  );
}

function isLimited(status: Status | undefined): boolean {
  return status !== undefined && (status.load.limit !== null || status.load.circuit !== 'closed');
}

function stateTitle(status: Status | undefined, now: number): string {
  if (status === undefined) return 'Running';
  if (status.pausedAt !== null) return `Paused since ${formatSince(status.pausedAt, now)}`;
  return `Running with ${status.upstream.name}`;
}

function State({ status }: { readonly status: Status }) {
  return (
    <Stack gap="sm">
      <Stack gap={6}>
        <Reach status={status} />
        <KeyLine status={status} />
        <LimitLine status={status} />
        <LoadLine load={status.load} />
        {!status.repairs && (
          <Line icon={IconToolsOff} tone="warn">
            Repairs are off: requests reach the service without corrections.
          </Line>
        )}
      </Stack>
      <CopyField
        label="Base address for Chat Completions and Responses"
        what="the base address with /v1"
        value={status.baseUrls.chat}
      />
      <CopyField
        label="Base address for Messages"
        what="the base address without /v1"
        value={status.baseUrls.messages}
      />
      <Text size="xs" c="dimmed">
        Each client signs in with its own local key. See{' '}
        <ScreenLink to="/clients" size="xs" underline="always">
          Clients
        </ScreenLink>
        .
      </Text>
    </Stack>
  );
}

function Reach({ status: { reach, upstream } }: { readonly status: Status }) {
  if (upstream.kind === 'sandbox') {
    return (
      <Line icon={IconFlask} tone="none">
        Answers are made up on this machine and cost nothing. Have an account?{' '}
        <ScreenLink to="/settings" size="sm" underline="always">
          Use your own service
        </ScreenLink>
        .
      </Line>
    );
  }
  const when = reach.at !== null && (
    <Text span size="sm" c="dimmed">
      {' '}
      <RelativeTime at={reach.at} />
    </Text>
  );
  const icons = {
    reachable: IconCircleCheck,
    doubtful: IconAlertTriangle,
    unreachable: IconCircleX,
    unknown: IconCircleDashed,
  } as const;
  const tones = {
    reachable: 'good',
    doubtful: 'warn',
    unreachable: 'bad',
    unknown: 'none',
  } as const;
  return (
    <Line icon={icons[reach.state]} tone={tones[reach.state]}>
      <Text span size="sm" ff="monospace">
        {upstream.baseUrl}
      </Text>
      <br />
      {reach.sentence}
      {when}
    </Line>
  );
}

function KeyLine({ status: { key, keyRefusedAt, upstream } }: { readonly status: Status }) {
  if (upstream.kind === 'sandbox') return null;
  if (keyRefusedAt !== null) {
    return (
      <Line icon={IconKey} tone="bad">
        The service refused the service key <RelativeTime at={keyRefusedAt} />.
      </Line>
    );
  }
  return (
    <Line icon={IconKey} tone={keyTone(key.name)}>
      {key.sentence}
    </Line>
  );
}

function LimitLine({ status: { limitedAt } }: { readonly status: Status }) {
  if (limitedAt === null) return null;
  return (
    <Line icon={IconGauge} tone="warn">
      A limit of the service is reached (429) <RelativeTime at={limitedAt} />. Wait a while, or
      check your plan there.
    </Line>
  );
}

function LoadLine({ load }: { readonly load: Status['load'] }) {
  if (load.circuit !== 'closed') {
    return (
      <Line icon={IconPlugConnectedX} tone="bad">
        The service could not be reached several times in a row. Requests are refused, apart from an
        occasional retry.
      </Line>
    );
  }
  if (load.limit === null) return null;
  return (
    <Line icon={IconGauge} tone="warn">
      The service answered 429, so Gatehouse sends it at most {pluralize(load.limit, 'request')} at
      a time: {load.inFlight.toLocaleString('en')} in progress, {load.waiting.toLocaleString('en')}{' '}
      waiting.
    </Line>
  );
}

interface LineProps {
  readonly icon: ComponentType<{ size?: number; stroke?: number; 'aria-hidden'?: boolean }>;
  readonly tone: Tone;
  readonly children: ReactNode;
}

function Line({ icon: Icon, tone, children }: LineProps) {
  return (
    <Group className={classes['line'] ?? ''} data-tone={tone} wrap="nowrap">
      <Icon size={16} stroke={1.8} aria-hidden />
      <div>{children}</div>
    </Group>
  );
}
