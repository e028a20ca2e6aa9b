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
import { useCalls } from '../../client/client.ts';
import { AdviceWords } from '../../parts/advice.tsx';
import { Ago } from '../../parts/ago.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ScreenLink } from '../../parts/screen-link.tsx';
import { attentionWords } from './attention-words.ts';
import classes from './attention.module.css';

const ICONS = {
  key: IconKeyOff,
  unreachable: IconCloudOff,
  repair: IconTool,
  client: IconAlertTriangle,
  unknown: IconLockX,
  dropped: IconDatabaseExclamation,
} as const;

/** The rest is behind a button: it must not push all else out of sight. */
const SHOWN_AT_FIRST = 3;

/** What a person may want to do something about, most urgent first; nothing at all when there is nothing. */
export function AttentionPanel() {
  const calls = useCalls();
  const { data, isError, error, refetch } = useQuery(calls.home.attention.queryOptions());
  const status = useQuery(calls.status.get.queryOptions());
  const upstream = status.data?.upstream.name ?? 'The service';
  if (data === undefined) {
    return isError ? (
      <Failure
        title="What needs attention could not be read."
        error={error}
        onRetry={() => void refetch()}
      />
    ) : null;
  }
  return (
    <div>
      {/* What changes within an item, such as how often, is not told aloud. */}
      <VisuallyHidden role="status">
        {data.map((attention) => `${attentionWords(attention, upstream).title}. `)}
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
  const more = attentions.length - SHOWN_AT_FIRST;
  return (
    <Panel title="Needs attention">
      <ul className={classes['list']}>
        {attentions.slice(0, all ? undefined : SHOWN_AT_FIRST).map((attention) => (
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
  const { title, text } = attentionWords(attention, upstream);
  return (
    <li className={classes['item']} data-kind={attention.kind}>
      <Icon size={18} stroke={1.7} aria-hidden />
      <div className={classes['words']}>
        <Text size="sm" fw={600}>
          {title}
        </Text>
        <Text size="sm">{text}</Text>
        {attention.kind === 'repair' && <AdviceWords repair={attention} />}
      </div>
      <Group gap="sm" className={classes['aside'] ?? ''}>
        <When attention={attention} />
        <Way attention={attention} />
      </Group>
    </li>
  );
}

function When({ attention }: { readonly attention: Attention }) {
  if (attention.kind === 'dropped' || attention.at === null) return null;
  return (
    <Text size="xs" c="dimmed">
      <Ago at={attention.at} />
    </Text>
  );
}

/** The place where something can be done about it. */
function Way({ attention }: { readonly attention: Attention }) {
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
          These requests
        </ScreenLink>
      );
    case 'client':
      return (
        <ScreenLink
          to="/history"
          search={{ outcome: 'failed', clients: [attention.clientName] }}
          size="sm"
        >
          Its failures
        </ScreenLink>
      );
  }
}

function keyOf(attention: Attention): string {
  if (attention.kind === 'repair') return `repair ${attention.code} ${attention.clientName}`;
  return attention.kind === 'client' ? `client ${attention.clientName}` : attention.kind;
}
