import { Alert, Button, Group, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { pluralize } from '../../../shared/format.ts';
import type { NewPrice } from '../../../shared/money/price.ts';
import { useCalls } from '../../api/client.ts';
import { ScreenLink } from '../screen-link.tsx';
import { toastError, toastSuccess } from '../../hooks/toast.ts';

/** Models that are named. */
const FEW = 3;

/** Warns that requests of models without a price do not count towards money, and adopts the suggested prices on demand. */
export function UnpricedNote() {
  const calls = useCalls();
  const { data = [] } = useQuery(calls.prices.unpriced.queryOptions());
  const { data: settings } = useQuery(calls.settings.get.queryOptions());
  const adopt = useMutation(
    calls.prices.add.mutationOptions({
      onSuccess: (_, { prices }) => toastSuccess(`${pluralize(prices.length, 'price')} adopted.`),
      onError: (error) => toastError('Could not add the prices.', error),
    }),
  );
  if (data.length === 0) return null;
  const models = [...new Set(data.map(({ model }) => model))];
  const named = models.slice(0, FEW).join(', ');
  const rest = models.length > FEW ? ` and ${models.length - FEW} more` : '';
  const suggestions = unique(data.flatMap(({ suggestion }) => suggestion ?? []));
  return (
    <Alert color="yellow" title="Not every model has a price">
      <Text size="sm">
        {settings?.settings.refusesUnpriced === true
          ? 'A limit of money refuses requests to these: '
          : 'Requests to these pass without limit, and Home says so: '}
        {named}
        {rest}.
      </Text>
      <Group gap="sm" mt="xs">
        {suggestions.length > 0 && (
          <Button
            size="compact-sm"
            loading={adopt.isPending}
            onClick={() => adopt.mutate({ prices: suggestions })}
          >
            Use {pluralize(suggestions.length, 'suggested price')} (USD)
          </Button>
        )}
        <ScreenLink to="/prices" size="sm">
          Prices
        </ScreenLink>
      </Group>
    </Alert>
  );
}

/** A model of two services has one suggestion. */
function unique(prices: readonly NewPrice[]): NewPrice[] {
  return [...new Map(prices.map((price) => [price.model, price])).values()];
}
