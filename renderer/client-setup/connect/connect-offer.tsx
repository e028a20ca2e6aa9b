import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import { IconPlug } from '@tabler/icons-react';
import type { ProgramState } from '../../../shared/connect/connection.ts';

interface ConnectOfferProps {
  readonly program: ProgramState;
  /** `null` for a program that has no steps to follow by hand. */
  readonly onByHand: (() => void) | null;
}

/** Offers to connect a program that is on this machine, which needs no key to be copied; the steps by hand come second. */
export function ConnectOffer({ program: { name, connection }, onByHand }: ConnectOfferProps) {
  const isConnected = connection !== null;
  return (
    <Alert
      color="teal"
      icon={<IconPlug />}
      title={isConnected ? `${name} is connected already` : `${name} was found on this machine`}
    >
      <Stack gap="sm">
        <Text size="sm">
          {isConnected
            ? `Its settings have the local key of “${connection.client.name}”.`
            : 'Gatehouse can change its settings for you: you see the change first, and can undo it at any time.'}
        </Text>
        <Group gap="xs">
          <Button type="submit">{isConnected ? 'Use this connection' : `Connect ${name}`}</Button>
          {onByHand !== null && (
            <Button variant="default" onClick={onByHand}>
              Set it up by hand
            </Button>
          )}
        </Group>
      </Stack>
    </Alert>
  );
}
