import { Group, Stack, Text } from '@mantine/core';
import type { ExchangeDetail } from '../../../../shared/history.ts';
import { Advice } from '../../../parts/advice.tsx';
import { Ago } from '../../../parts/ago.tsx';
import { StatusBadge } from '../../../parts/status-badge.tsx';
import { timeText } from '../../../parts/figures.ts';
import { Explained } from './explained.tsx';
import { Part } from '../../../parts/part.tsx';
import { storyOf } from './story.ts';
import { TimeLine } from './time-line.tsx';

/** What happened: in words, what went wrong, what was repaired, and when. */
export function ExchangeParts({ detail: { exchange } }: { readonly detail: ExchangeDetail }) {
  const { repairs, clientName, startedAt } = exchange;
  return (
    <>
      <Stack gap={6}>
        <Group gap="xs">
          <StatusBadge exchange={exchange} withWords />
          <Text size="sm" c="dimmed" data-figures>
            {timeText(startedAt)} (<Ago at={startedAt} />)
          </Text>
        </Group>
        <Text size="sm">{storyOf(exchange).join(' ')}</Text>
      </Stack>
      <Explained exchange={exchange} />
      {repairs.length > 0 && (
        <Part title="What was repaired">
          <Stack gap="xs">
            {repairs.map((repair, place) => (
              <Advice key={place} repair={repair} clientName={clientName} />
            ))}
          </Stack>
        </Part>
      )}
      <Part title="Time">
        <TimeLine exchange={exchange} />
      </Part>
    </>
  );
}
