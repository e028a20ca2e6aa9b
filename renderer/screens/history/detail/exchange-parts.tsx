import { Group, Stack, Text } from '@mantine/core';
import type { ExchangeDetail } from '../../../../shared/history/history.ts';
import { RepairHint } from '../../../components/repair-hint.tsx';
import { RelativeTime } from '../../../components/relative-time.tsx';
import { StatusBadge } from '../../../components/badges/status-badge.tsx';
import { formatTimestamp } from '../../../format/format.ts';
import { FailureExplanation } from './failure-explanation.tsx';
import { DetailSection } from '../../../components/detail/detail-section.tsx';
import { summarizeExchange } from './summarize-exchange.ts';
import { Timeline } from './timeline.tsx';

/** Shows the parts of an exchange: summary, failure, repairs, and timeline. */
export function ExchangeParts({ detail: { exchange } }: { readonly detail: ExchangeDetail }) {
  const { repairs, clientName, startedAt } = exchange;
  const isHeld = repairs.every(({ code }) => code === 'held');
  const isSuggestion = repairs.every(({ code }) => code === 'model-suggestion');
  const isQuestion = repairs.every(({ code }) => code === 'cache-reason-asked');
  const title = isHeld ? 'Held' : isSuggestion ? 'Suggestion' : isQuestion ? 'Added' : 'Repairs';
  return (
    <>
      <Stack gap={6}>
        <Group gap="xs">
          <StatusBadge exchange={exchange} withLabel />
          <Text size="sm" c="dimmed" data-figures>
            {formatTimestamp(startedAt)} (<RelativeTime at={startedAt} />)
          </Text>
        </Group>
        <Text size="sm">{summarizeExchange(exchange).join(' ')}</Text>
      </Stack>
      <FailureExplanation exchange={exchange} />
      {repairs.length > 0 && (
        <DetailSection title={title}>
          <Stack gap="xs">
            {repairs.map((repair, place) => (
              <RepairHint key={place} repair={repair} clientName={clientName} />
            ))}
          </Stack>
        </DetailSection>
      )}
      <DetailSection title="Time">
        <Timeline exchange={exchange} />
      </DetailSection>
    </>
  );
}
