import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { describePrices } from '../../../shared/money/describe-price.ts';
import { SANDBOX_ID } from '../../../shared/sandbox-id.ts';
import { useCalls } from '../../api/client.ts';
import { ScreenLink } from '../../components/screen-link.tsx';
import { useCurrency } from '../../hooks/use-currency.ts';

/** Shows the price of a model at the service in use, with a link that changes it. */
export function ModelPrice({ id }: { readonly id: string }) {
  const currency = useCurrency();
  const { data: price, isPlaceholderData } = useQuery(
    useCalls().prices.find.queryOptions({ input: { model: id.slice(0, MAX_ID) } }),
  );
  if (price === undefined || isPlaceholderData) return null;
  return (
    <div>
      <Text size="sm" fw={500}>
        Price
      </Text>
      <Text size="sm">
        {price === null
          ? 'No price, so its costs are not known.'
          : `${describePrices(price.prices, currency)}.`}{' '}
        <ScreenLink to="/prices" search={{ model: id }} size="sm" underline="always">
          {price === null ? 'Set one' : 'Set another'}
        </ScreenLink>
      </Text>
      {price !== null && (
        <Text size="xs" c="dimmed">
          {price.service === SANDBOX_ID && price.id < 0 ? 'Sandbox, not charged.' : price.origin}
        </Text>
      )}
    </div>
  );
}

/** The longest id that has a price. */
const MAX_ID = 256;
