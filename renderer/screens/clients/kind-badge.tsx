import { Badge, Tooltip } from '@mantine/core';
import type { ClientSummary } from '../../../shared/client.ts';

const KINDS = {
  environment: {
    label: 'fixed key',
    about:
      'Its local key is the one in the environment variable GATEHOUSE_LOCAL_KEY. Change it there; it cannot be changed here.',
  },
  window: {
    label: 'this window',
    about: 'Tests from this window are recorded under this name. Its key never leaves Gatehouse.',
  },
  chat: {
    label: 'conversations',
    about: 'Requests from Chat are recorded under this name. Its key never leaves Gatehouse.',
  },
} as const;

/** Marks clients that Gatehouse itself defines; renders nothing for all others. */
export function KindBadge({ kind }: Pick<ClientSummary, 'kind'>) {
  if (kind === 'stored') return null;
  const { label, about } = KINDS[kind];
  return (
    <Tooltip label={about}>
      <Badge size="xs" variant="default" tt="none" fw={500} flex="none">
        {label}
      </Badge>
    </Tooltip>
  );
}

/** Explains in a sentence why a client has no key that can be changed here. */
export function describeKind(kind: 'environment' | 'window' | 'chat'): string {
  return KINDS[kind].about;
}
