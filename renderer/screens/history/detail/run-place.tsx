import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ExchangeId } from '../../../../shared/exchange/exchange.ts';
import { useCalls } from '../../../api/client.ts';
import { DetailSection } from '../../../components/detail/detail-section.tsx';
import { Disclosure } from '../../../components/detail/disclosure.tsx';
import { CacheNote, ContextView } from '../../../components/runs/step-notes.tsx';
import { ScreenLink } from '../../../components/screen-link.tsx';

/** Shows the run of an exchange, why the cache missed, and the parts of its request; nothing when it has no place in a run. */
export function RunPlace({ id }: { readonly id: ExchangeId }) {
  const { data: place } = useQuery(useCalls().history.step.queryOptions({ input: { id } }));
  if (place === undefined || place === null || place.step.id !== id) return null;
  const { run, title, number, step, miss } = place;
  return (
    <DetailSection title="Run">
      <Stack gap="xs">
        <Text size="sm">
          Step {number} of{' '}
          <ScreenLink size="sm" underline="always" to="/history/runs" search={{ run }}>
            {title === '' ? 'a run without a text' : `“${title}”`}
          </ScreenLink>
        </Text>
        <CacheNote step={step} miss={miss} />
        <Disclosure label="Parts of the request">
          <ContextView step={step} />
        </Disclosure>
      </Stack>
    </DetailSection>
  );
}
