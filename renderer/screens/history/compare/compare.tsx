import { Button, Skeleton } from '@mantine/core';
import { IconArrowsDiff, IconArrowsExchange } from '@tabler/icons-react';
import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ExchangeId } from '../../../../shared/exchange/exchange.ts';
import { EmptyState } from '../../../components/states/empty-state.tsx';
import { ErrorState } from '../../../components/states/error-state.tsx';
import { Page } from '../../../components/page.tsx';
import { ScreenLink } from '../../../components/screen-link.tsx';
import { ComparisonView } from './comparison-view.tsx';
import { useStoredExchange } from './use-stored-exchange.ts';

/** Compares two exchanges: their facts, parameters, tools, messages and answers. */
export function Compare() {
  const { left, right } = useSearch({ from: '/history/compare' });
  const navigate = useNavigate({ from: '/history/compare' });
  const isComplete = left !== undefined && right !== undefined;
  return (
    <Page
      title="Compare"
      about="What differs between two requests and their answers."
      actions={
        isComplete && (
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<IconArrowsExchange size={14} aria-hidden />}
            onClick={() => void navigate({ search: { left: right, right: left }, replace: true })}
          >
            Swap
          </Button>
        )
      }
    >
      {isComplete ? (
        <Both left={left} right={right} />
      ) : (
        <EmptyState icon={IconArrowsDiff} title="Choose two requests">
          Open a request in{' '}
          <ScreenLink to="/history" underline="always">
            History
          </ScreenLink>{' '}
          and choose “Compare” there.
        </EmptyState>
      )}
    </Page>
  );
}

interface BothProps {
  readonly left: ExchangeId;
  readonly right: ExchangeId;
}

function Both({ left, right }: BothProps) {
  const [before, after] = [useStoredExchange(left), useStoredExchange(right)];
  if (before.stored !== null && after.stored !== null) {
    return <ComparisonView before={before.stored} after={after.stored} />;
  }
  const failed = [before, after].find(({ error }) => error !== null);
  if (failed === undefined) return <Skeleton h={320} />;
  return (
    <ErrorState
      title="Could not load both requests."
      error={failed.error}
      onRetry={failed.refetch}
    />
  );
}
