import { Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, skipToken, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { NOT_CHARGED } from '../../../../../shared/money/charge.ts';
import { formatMoney } from '../../../../../shared/money/format-money.ts';
import type { ExchangeRecord } from '../../../../../shared/exchange/exchange.ts';
import {
  describeFirstCost,
  measureFirst,
  type ReplayCost as Cost,
  type ReplayableRequest,
  type ReplayDraft,
  type ReplaySize,
} from '../../../../../shared/replay.ts';
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
  /** The first request, and its exchange. */
  readonly request: ReplayableRequest;
  readonly exchange: ExchangeRecord;
}

/** Says before a request is sent what it would cost by the person's own prices, what the first one cost, and what the service lists. */
export function ReplayCost({ models, size, request, exchange }: ReplayCostProps) {
  const isFree = useIsFree();
  const currency = useCurrency();
  const known = useModelChoice();
  const first = useMemo(() => measureFirst(request, exchange, countBytes), [request, exchange]);
  const costs = useCosts(models, size, first);
  const by = isFree ? `(${NOT_CHARGED})` : 'by your prices';
  const prices = [...new Set(models)].flatMap((id) => {
    const model = known.find((one) => one.model.id === id)?.model;
    const listed = model === undefined ? [] : findPrices(model);
    const texts = listed.map(({ label, value }) => `${label} ${value}`);
    return texts.length === 0 ? [] : [`${id}: ${texts.join(', ')}`];
  });
  const total = costs.reduce<number | null>(
    (sum, cost) => (sum === null || cost?.amount == null ? null : sum + cost.amount),
    0,
  );
  return (
    <Text size="sm" component="div" data-figures>
      Each model is asked once{isFree ? '.' : ', and the service may charge for it.'}{' '}
      {describeFirstCost(exchange, currency)}
      {models.map((model, place) => (
        <Amount key={place} model={model} cost={costs[place]} {...{ currency, by }} />
      ))}
      {models.length > 1 && total !== null && (
        <div>Together about {`${formatMoney(total, currency)} ${by}`}.</div>
      )}
      {prices.map((text) => (
        <div key={text}>Listed prices of {text}</div>
      ))}
    </Text>
  );
}

function countBytes(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** Time without a key press after which the cost is asked for. */
const PAUSE_MS = 500;
/** The longest id that has a price. */
const MAX_ID = 256;

/** Returns what a request would cost at each model; `undefined` while that is not known. */
function useCosts(
  models: readonly string[],
  size: ReplaySize | null,
  first: ReplayDraft['first'],
): readonly (Cost | undefined)[] {
  const { estimateReplay } = useCalls().history;
  const bytes = useMemo(() => countBytes(size?.text ?? ''), [size?.text]);
  const [resting] = useDebouncedValue(bytes, PAUSE_MS);
  const priced = [...new Set(models)].filter((model) => model !== '' && model.length <= MAX_ID);
  const { data = [] } = useQuery(
    estimateReplay.queryOptions({
      input:
        size === null || priced.length === 0
          ? skipToken
          : {
              models: priced,
              bytes: resting,
              images: size.images,
              maxTokens: size.maxTokens,
              continues: size.continues,
              first,
            },
      placeholderData: keepPreviousData,
      staleTime: 0,
    }),
  );
  return models.map((name) => data.find(({ model }) => model === name));
}

interface AmountProps {
  readonly model: string;
  readonly cost: Cost | undefined;
  readonly currency: string;
  /** By which prices. */
  readonly by: string;
}

function Amount({ model, cost, currency, by }: AmountProps) {
  if (cost === undefined) return null;
  return (
    <div>
      {model}:{' '}
      {cost.amount === null ? (
        <>
          no price known
          <SetPriceLink model={cost.sent} service={null} />
        </>
      ) : (
        `about ${formatMoney(cost.amount, currency)} ${by}`
      )}
    </div>
  );
}
