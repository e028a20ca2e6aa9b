import { ActionIcon, Button, Group, Text, VisuallyHidden } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import {
  IconAlertTriangle,
  IconCloudOff,
  IconDatabaseExclamation,
  IconGauge,
  IconKeyOff,
  IconLockX,
  IconRepeat,
  IconTagOff,
  IconTool,
  IconX,
} from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Attention } from '../../../shared/history/history.ts';
import type { LimitState } from '../../../shared/money/limit.ts';
import { useCalls } from '../../api/client.ts';
import { RepairAdvice } from '../../components/repair-hint.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { ErrorState } from '../../components/states/error-state.tsx';
import { Panel } from '../../components/panel.tsx';
import { ScreenLink } from '../../components/screen-link.tsx';
import {
  LimitActions,
  RaiseLimit,
  toLimitSearch,
} from '../../components/limit-dialog/limit-actions.tsx';
import { describeAttention } from './describe-attention.ts';
import { RunawayActions } from './runaway-actions.tsx';
import { UnreachableActions } from './unreachable-actions.tsx';
import classes from './attention.module.css';

const ICONS = {
  key: IconKeyOff,
  unreachable: IconCloudOff,
  repair: IconTool,
  client: IconAlertTriangle,
  unknown: IconLockX,
  limit: IconGauge,
  unpriced: IconTagOff,
  runaway: IconRepeat,
  dropped: IconDatabaseExclamation,
} as const;

/** Number of items shown at first; the others are behind a button. */
const INITIALLY_SHOWN = 3;

/** Lists the problems that a person may want to fix, most urgent first; nothing when there are none. */
export function AttentionPanel() {
  const calls = useCalls();
  const { data, isError, error, refetch } = useQuery(calls.home.attention.queryOptions());
  // The dialog stays open when its limit is not listed any more.
  const [raised, setRaised] = useState<LimitState | null>(null);
  if (data === undefined) {
    return isError ? (
      <ErrorState
        title="Could not load what needs attention."
        error={error}
        onRetry={() => void refetch()}
      />
    ) : null;
  }
  return (
    <div>
      {/* Changes within an item, such as its count, are not announced. */}
      <VisuallyHidden role="status">
        {data.map((attention) => `${describeAttention(attention).title}. `)}
      </VisuallyHidden>
      {data.length > 0 && <Items attentions={data} onRaise={setRaised} />}
      {raised !== null && <RaiseLimit limit={raised} onClose={() => setRaised(null)} />}
    </div>
  );
}

interface ItemsProps {
  readonly attentions: readonly Attention[];
  readonly onRaise: (limit: LimitState) => void;
}

function Items({ attentions, onRaise }: ItemsProps) {
  const [all, { toggle }] = useDisclosure(false);
  const more = attentions.length - INITIALLY_SHOWN;
  return (
    <Panel title="Needs attention">
      <ul className={classes['list']}>
        {attentions.slice(0, all ? undefined : INITIALLY_SHOWN).map((attention) => (
          <Item key={attention.id} attention={attention} onRaise={onRaise} />
        ))}
      </ul>
      {more > 0 && (
        <Button variant="default" size="compact-sm" mt="sm" onClick={toggle} aria-expanded={all}>
          {all ? 'Show fewer' : `Show ${more} more`}
        </Button>
      )}
    </Panel>
  );
}

interface ItemProps extends Pick<ItemsProps, 'onRaise'> {
  readonly attention: Attention;
}

function Item({ attention, onRaise }: ItemProps) {
  const Icon = ICONS[attention.kind];
  const { title, text } = describeAttention(attention);
  return (
    <li className={classes['item']} data-kind={attention.kind}>
      <Icon size={18} stroke={1.7} aria-hidden />
      <div className={classes['text']}>
        <Text size="sm" fw={600}>
          {title}
        </Text>
        <Text size="sm">{text}</Text>
        {attention.kind === 'repair' && <RepairAdvice repair={attention} />}
      </div>
      <Group gap="sm" className={classes['aside'] ?? ''}>
        <When attention={attention} />
        {attention.kind === 'unreachable' && <UnreachableActions />}
        {attention.kind === 'limit' && (
          <LimitActions
            limit={attention.limit}
            isReached={attention.percent === 100}
            onRaise={() => onRaise(attention.limit)}
          />
        )}
        {attention.kind === 'runaway' && <RunawayActions runaway={attention} />}
        <AttentionLink attention={attention} />
        <Dismiss attention={attention} title={title} />
      </Group>
    </li>
  );
}

function When({ attention }: { readonly attention: Attention }) {
  if (attention.kind === 'dropped' || attention.kind === 'limit') return null;
  if (attention.at === null) return null;
  return (
    <Text size="xs" c="dimmed">
      <RelativeTime at={attention.at} />
    </Text>
  );
}

/** A link to the screen where the problem can be fixed. */
function AttentionLink({ attention }: { readonly attention: Attention }) {
  switch (attention.kind) {
    case 'key':
    case 'dropped':
      return (
        <ScreenLink to="/settings" size="sm">
          Settings
        </ScreenLink>
      );
    case 'limit':
      return (
        <ScreenLink to="/clients" search={toLimitSearch(attention.limit)} size="sm">
          Clients
        </ScreenLink>
      );
    case 'repair':
      return (
        <ScreenLink to="/history" search={{ filter: attention.filter }} size="sm">
          Show requests
        </ScreenLink>
      );
    case 'unpriced':
      return (
        <ScreenLink to="/prices" search={{ model: attention.passes[0]?.model }} size="sm">
          Prices
        </ScreenLink>
      );
    case 'runaway':
      return null;
    case 'unreachable':
      if (attention.failures + attention.refused === 0) return null;
      return <FailedRequests attention={attention} />;
    case 'unknown':
    case 'client':
      return <FailedRequests attention={attention} />;
  }
}

type Failed = Extract<Attention, { kind: 'unreachable' | 'unknown' | 'client' }>;

function FailedRequests({ attention }: { readonly attention: Failed }) {
  return (
    <ScreenLink to="/history" search={{ filter: attention.filter }} size="sm">
      {attention.kind === 'unknown' ? 'Show requests' : 'Failed requests'}
    </ScreenLink>
  );
}

const DISMISSALS: Readonly<Partial<Record<Attention['kind'], string>>> = {
  repair: 'Dismiss for a week',
  limit: 'Keep the limit, and dismiss this until it happens again',
};

interface DismissProps {
  readonly attention: Attention;
  readonly title: string;
}

/** Moves the focus from a dismissed item to the next one, or to the heading of the page. */
function focusNext(): void {
  const next = document.querySelector<HTMLElement>('[data-dismiss]');
  const heading = document.querySelector('h1');
  if (heading !== null) heading.tabIndex = -1;
  (next ?? heading)?.focus();
}

/** Hides an item until it occurs again, a repair for a week. A missing key stays, because nothing works without it, and an agent until it is decided about. */
function Dismiss({ attention, title }: DismissProps) {
  const calls = useCalls();
  const queries = useQueryClient();
  const { mutate, isPending } = useMutation(
    calls.home.dismiss.mutationOptions({
      onSuccess: async () => {
        await queries.invalidateQueries({ queryKey: calls.home.attention.key() });
        focusNext();
      },
    }),
  );
  if (attention.kind === 'key' || attention.kind === 'runaway') return null;
  const at = 'at' in attention ? attention.at : 0;
  const label = DISMISSALS[attention.kind] ?? 'Dismiss until it happens again';
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="sm"
      loading={isPending}
      aria-label={`${label}: ${title}`}
      title={label}
      data-dismiss
      onClick={() => mutate({ id: attention.id, at })}
    >
      <IconX size={14} aria-hidden />
    </ActionIcon>
  );
}
