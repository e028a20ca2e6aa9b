import { Badge, Tooltip } from '@mantine/core';
import type { ClientSummary } from '../../../shared/client.ts';
import { describeFiles } from '../../client-setup/connect/file-state.ts';
import type { ConnectedProgram } from '../../client-setup/connect/use-programs.ts';

interface ConnectedBadgeProps {
  readonly program: ConnectedProgram;
}

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

/** Marks a client whose program is connected, and says what became of its settings. */
export function ConnectedBadge({ program: { name, connection } }: ConnectedBadgeProps) {
  const isAsWritten = connection.files.every(({ state }) => state === 'as-written');
  return (
    <Tooltip label={`${name}: ${describeFiles(connection.files)}.`} position="right">
      <Badge
        size="xs"
        variant="default"
        tt="none"
        fw={500}
        flex="none"
        c={isAsWritten ? 'var(--gate-good)' : 'var(--gate-warn)'}
      >
        connected
      </Badge>
    </Tooltip>
  );
}

/** Marks a client whose own key nobody has. */
export function NoKeyBadge() {
  return (
    <Tooltip label={NO_KEY_ABOUT} position="right">
      <Badge size="xs" variant="default" tt="none" fw={500} flex="none">
        not connected
      </Badge>
    </Tooltip>
  );
}

/** Explains why a client has no key to paste. */
export const NO_KEY_ABOUT =
  'Its program was disconnected, or is started with gatehouse run or the variables of gatehouse env, which have a key of their own each time. So there is no key to paste. To use the client again, connect its program or create a new key; its limits hold.';

/** Explains in a sentence why a client has no key that can be changed here. */
export function describeKind(kind: Exclude<ClientSummary['kind'], 'stored'>): string {
  return KINDS[kind].about;
}
