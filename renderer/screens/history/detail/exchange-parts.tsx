import { Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ExchangeRecord } from '../../../../shared/exchange/exchange.ts';
import type { ExchangeDetail } from '../../../../shared/history/history.ts';
import { useCalls } from '../../../api/client.ts';
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
  const heldMs = useHeldMs(exchange);
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
        <Text size="sm">{summarizeExchange(exchange, heldMs).join(' ')}</Text>
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
        <Timeline exchange={exchange} heldMs={heldMs} />
      </DetailSection>
    </>
  );
}

/** Returns the time for which a person let an exchange wait; `undefined` when nobody did, and when it has no place in a run, which has that time. */
function useHeldMs({ id, repairs }: ExchangeRecord): number | undefined {
  const enabled = repairs.some(({ code }) => code === 'held');
  const { data: place } = useQuery(
    useCalls().history.step.queryOptions({ input: { id }, enabled }),
  );
  return enabled && place?.step.id === id ? place.step.heldMs : undefined;
}
