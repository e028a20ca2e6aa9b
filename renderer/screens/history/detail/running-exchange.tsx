import { Group, Stack, Text } from '@mantine/core';
import type { RunningExchange } from '../../../../shared/history.ts';
import { RelativeTime } from '../../../components/relative-time.tsx';
import { StageBadge } from '../../../components/status-badge.tsx';

/** Shows the known facts of an exchange in progress. */
export function RunningExchangeDetail({ exchange }: { readonly exchange: RunningExchange }) {
  const { clientName, method, pathReceived, modelSent } = exchange;
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <StageBadge stage={exchange.stage} />
        <Text size="sm" c="dimmed">
          began <RelativeTime at={exchange.startedAt} />
        </Text>
      </Group>
      <Text size="sm">
        {clientName ?? 'A client'} sent {method} {pathReceived}
        {modelSent !== null && ` for “${modelSent}”`}. The details appear here when it has ended.
      </Text>
    </Stack>
  );
}
