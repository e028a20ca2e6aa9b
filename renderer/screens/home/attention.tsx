import { Button, Group, Text, VisuallyHidden } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import {
  IconAlertTriangle,
  IconCloudOff,
  IconDatabaseExclamation,
  IconKeyOff,
  IconLockX,
  IconTool,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { Attention } from '../../../shared/history.ts';
import { useCalls } from '../../api/client.ts';
import { RepairAdvice } from '../../components/repair-hint.tsx';
import { RelativeTime } from '../../components/relative-time.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { Panel } from '../../components/panel.tsx';
import { ScreenLink } from '../../components/screen-link.tsx';
import { describeAttention } from './describe-attention.ts';
import classes from './attention.module.css';

const ICONS = {
  key: IconKeyOff,
  unreachable: IconCloudOff,
  repair: IconTool,
  client: IconAlertTriangle,
  unknown: IconLockX,
  dropped: IconDatabaseExclamation,
} as const;

/** Number of items shown at first; the others are behind a button. */
const INITIALLY_SHOWN = 3;

/** Lists the problems that a person may want to fix, most urgent first; nothing when there are none. */
export function AttentionPanel() {
  const calls = useCalls();
  const { data, isError, error, refetch } = useQuery(calls.home.attention.queryOptions());
  const status = useQuery(calls.status.get.queryOptions());
  const upstream = status.data?.upstream.name ?? 'The service';
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
        {data.map((attention) => `${describeAttention(attention, upstream).title}. `)}
      </VisuallyHidden>
      {data.length > 0 && <Items attentions={data} upstream={upstream} />}
    </div>
  );
}

interface ItemsProps {
  readonly attentions: readonly Attention[];
  readonly upstream: string;
}

function Items({ attentions, upstream }: ItemsProps) {
  const [all, { toggle }] = useDisclosure(false);
  const more = attentions.length - INITIALLY_SHOWN;
  return (
    <Panel title="Needs attention">
      <ul className={classes['list']}>
        {attentions.slice(0, all ? undefined : INITIALLY_SHOWN).map((attention) => (
          <Item key={keyOf(attention)} attention={attention} upstream={upstream} />
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

interface ItemProps {
  readonly attention: Attention;
  readonly upstream: string;
}

function Item({ attention, upstream }: ItemProps) {
  const Icon = ICONS[attention.kind];
  const { title, text } = describeAttention(attention, upstream);
  return (
    <li className={classes['item']} data-kind={attention.kind}>
      <Icon size={18} stroke={1.7} aria-hidden />
      <div className={classes['words']}>
        <Text size="sm" fw={600}>
          {title}
        </Text>
        <Text size="sm">{text}</Text>
        {attention.kind === 'repair' && <RepairAdvice repair={attention} />}
      </div>
      <Group gap="sm" className={classes['aside'] ?? ''}>
        <When attention={attention} />
        <AttentionLink attention={attention} />
      </Group>
    </li>
  );
}

function When({ attention }: { readonly attention: Attention }) {
  if (attention.kind === 'dropped' || attention.at === null) return null;
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
    case 'unreachable':
    case 'dropped':
      return (
        <ScreenLink to="/settings" size="sm">
          Settings
        </ScreenLink>
      );
    case 'repair':
      return (
        <ScreenLink to="/history" search={{ exchange: attention.exchangeId }} size="sm">
          Latest request
        </ScreenLink>
      );
    case 'unknown':
      return (
        <ScreenLink to="/history" search={{ known: false, outcome: 'failed' }} size="sm">
          Show requests
        </ScreenLink>
      );
    case 'client':
      return (
        <ScreenLink
          to="/history"
          search={{ outcome: 'failed', clients: [attention.clientName] }}
          size="sm"
        >
          Failed requests
        </ScreenLink>
      );
  }
}

function keyOf(attention: Attention): string {
  if (attention.kind === 'repair') return `repair ${attention.code} ${attention.clientName}`;
  return attention.kind === 'client' ? `client ${attention.clientName}` : attention.kind;
}
