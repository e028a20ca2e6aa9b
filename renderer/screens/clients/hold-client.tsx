import { Button, Menu, Text } from '@mantine/core';
import { IconChevronDown, IconHandStop } from '@tabler/icons-react';
import type { ClientSummary } from '../../../shared/client.ts';
import { useHoldNext, useHolds } from '../../hooks/clients/use-holds.ts';

/** How long a request can wait, in seconds. Most programs give up after some minutes without an answer. */
const CHOICES = [
  { seconds: 30, label: 'At most 30 seconds' },
  { seconds: 120, label: 'At most 2 minutes' },
  { seconds: 300, label: 'At most 5 minutes' },
  { seconds: 600, label: 'At most 10 minutes' },
];

/** Makes the next request of a client wait until a person has looked at it. */
export function HoldClient({ client }: { readonly client: ClientSummary }) {
  const { next } = useHolds();
  const { holdNext, cancel, isChanging } = useHoldNext(client);
  if (next.some(({ clientId }) => clientId === client.id)) {
    return (
      <Button
        variant="default"
        size="xs"
        leftSection={<IconHandStop size={15} />}
        loading={isChanging}
        onClick={cancel}
      >
        Let the next request pass
      </Button>
    );
  }
  return (
    <Menu position="bottom-start" withinPortal>
      <Menu.Target>
        <Button
          variant="default"
          size="xs"
          leftSection={<IconHandStop size={15} />}
          rightSection={<IconChevronDown size={14} />}
          loading={isChanging}
        >
          Hold the next request
        </Button>
      </Menu.Target>
      <Menu.Dropdown maw={280}>
        <Text size="xs" c="dimmed" px="sm" py={4}>
          It waits until you have looked at it. Send it as it is, change it, or refuse it; after
          this time it goes on unchanged.
        </Text>
        {CHOICES.map(({ seconds, label }) => (
          <Menu.Item key={seconds} onClick={() => holdNext(seconds)}>
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
