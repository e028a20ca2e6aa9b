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
  terminal: {
    label: 'terminal',
    about:
      'Requests of the command gatehouse ask are recorded under this name. Its key is created at every start.',
  },
  replay: {
    label: 'sent again',
    about:
      'Requests of the history that were sent again are recorded under this name. Its key is created at every start.',
  },
  videos: {
    label: 'video queue',
    about: 'Requests of the video queue of this Gatehouse. They need no local key.',
  },
  unknown: {
    label: 'no valid key',
    about:
      'Everything that came without a valid local key. Gatehouse refused it, and nothing was sent to the service.',
  },
} as const;

/** Marks clients that Gatehouse itself defines; renders nothing for all others. */
export function KindBadge({ kind }: Pick<ClientSummary, 'kind'>) {
  if (kind === 'stored') return null;
  const { label, about } = KINDS[kind];
  return (
    <Tooltip label={about} position="right">
      <Badge size="xs" variant="default" tt="none" fw={500} flex="none">
        {label}
      </Badge>
    </Tooltip>
  );
}

/** Marks a client that has temporary keys only. */
export function TemporaryBadge() {
  return (
    <Tooltip label={TEMPORARY_KEYS_ABOUT} position="right">
      <Badge size="xs" variant="default" tt="none" fw={500} flex="none">
        temporary keys
      </Badge>
    </Tooltip>
  );
}

/** Explains how a client gets its keys that was added for a temporary one. */
export const TEMPORARY_KEYS_ABOUT =
  'For programs started with gatehouse run, or with the variables of gatehouse env. Each gets a temporary key, which ends by itself, so there is no key to paste.';

/** Explains in a sentence why a client has no key that can be changed here. */
export function describeKind(kind: Exclude<ClientSummary['kind'], 'stored'>): string {
  return KINDS[kind].about;
}
