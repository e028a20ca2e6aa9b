import { Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, skipToken, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { NO_CHARGE_SENTENCE } from '../../../../../shared/money/charge.ts';
import { formatMoney } from '../../../../../shared/money/format-money.ts';
import type { ExchangeRecord } from '../../../../../shared/exchange/exchange.ts';
import { describeFirstCost, type ReplaySize } from '../../../../../shared/replay.ts';
import { useCalls } from '../../../../api/client.ts';
import { useModelChoice } from '../../../../api/use-model-list.ts';
import { SetPriceLink } from '../../../../components/cost.tsx';
import { useCurrency } from '../../../../hooks/use-currency.ts';
import { useIsFree } from '../../../../hooks/use-is-free.ts';
import { findPrices } from '../../../../../shared/model-metadata/model-fields.ts';

interface ReplayCostProps {
  readonly models: readonly string[];
  /** The size of the request as it is edited; `null` when it cannot be sent. */
  readonly size: ReplaySize | null;
  /** The first request. */
  readonly exchange: ExchangeRecord;
}

/** Says before a request is sent what it would cost by the person's own prices, what the first one cost, and what the service lists. */
export function ReplayCost({ models, size, exchange }: ReplayCostProps) {
  const isFree = useIsFree();
  const currency = useCurrency();
  const known = useModelChoice();
  const amounts = useAmounts(isFree ? [] : models, size);
  if (isFree) return <Text size="sm">{NO_CHARGE_SENTENCE}</Text>;
  const prices = [...new Set(models)].flatMap((id) => {
    const model = known.find((one) => one.model.id === id)?.model;
    const listed = model === undefined ? [] : findPrices(model);
    const texts = listed.map(({ label, value }) => `${label} ${value}`);
    return texts.length === 0 ? [] : [`${id}: ${texts.join(', ')}`];
  });
  const total = amounts.reduce<number | null>(
    (sum, amount) => (sum === null || amount == null ? null : sum + amount),
    0,
  );
  return (
    <Text size="sm" component="div" data-figures>
      Each model is asked once, and the service may charge for it.{' '}
      {describeFirstCost(exchange, currency)}
      {models.map((model, place) => (
        <Amount key={place} model={model} amount={amounts[place]} currency={currency} />
      ))}
      {models.length > 1 && total !== null && (
        <div>Together about {formatMoney(total, currency)} by your prices.</div>
      )}
      {prices.map((text) => (
        <div key={text}>Listed prices of {text}</div>
      ))}
    </Text>
  );
}

/** Time without a key press after which the cost is asked for. */
const PAUSE_MS = 500;
/** The longest id that has a price. */
const MAX_ID = 256;

/** Returns what a request would cost at each model: `null` without a price, `undefined` while that is not known. */
function useAmounts(
  models: readonly string[],
  size: ReplaySize | null,
): readonly (number | null | undefined)[] {
  const { estimateReplay } = useCalls().history;
  const bytes = useMemo(() => new TextEncoder().encode(size?.text).length, [size?.text]);
  const [resting] = useDebouncedValue(bytes, PAUSE_MS);
  const priced = [...new Set(models)].filter((model) => model !== '' && model.length <= MAX_ID);
  const { data = [] } = useQuery(
    estimateReplay.queryOptions({
      input:
        size === null || priced.length === 0
          ? skipToken
          : { models: priced, bytes: resting, images: size.images, maxTokens: size.maxTokens },
      placeholderData: keepPreviousData,
      staleTime: 0,
    }),
  );
  return models.map((name) => data.find(({ model }) => model === name)?.amount);
}

interface AmountProps {
  readonly model: string;
  readonly amount: number | null | undefined;
  readonly currency: string;
}

function Amount({ model, amount, currency }: AmountProps) {
  if (amount === undefined) return null;
  return (
    <div>
      {model}:{' '}
      {amount === null ? (
        <>
          no price known
          <SetPriceLink model={model} service={null} />
        </>
      ) : (
        `about ${formatMoney(amount, currency)} by your prices`
      )}
    </div>
  );
}
