import { Group, Stack, Text } from '@mantine/core';
import type { RunningExchange } from '../../../../shared/history.ts';
import { Ago } from '../../../parts/ago.tsx';
import { StageBadge } from '../../../parts/status-badge.tsx';

/** What is known of an exchange that has no end yet. */
export function OnItsWay({ exchange }: { readonly exchange: RunningExchange }) {
  const { clientName, method, pathReceived, modelSent } = exchange;
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <StageBadge stage={exchange.stage} />
        <Text size="sm" c="dimmed">
          began <Ago at={exchange.startedAt} />
        </Text>
      </Group>
      <Text size="sm">
        {clientName ?? 'A client'} sent {method} {pathReceived}
        {modelSent !== null && ` for “${modelSent}”`}. The details appear here when it has ended.
      </Text>
    </Stack>
  );
}
