import { Badge, Button, Group, Skeleton, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { describePrices } from '../../../shared/money/describe-price.ts';
import type { NewPrice } from '../../../shared/money/price.ts';
import type { UnpricedModel } from '../../../shared/money/prices-contract.ts';
import { pluralize } from '../../../shared/format.ts';
import { useCalls } from '../../api/client.ts';
import { Panel } from '../../components/panel.tsx';
import { ErrorState } from '../../components/states/error-state.tsx';
import { toastError, toastSuccess } from '../../hooks/toast.ts';
import { type EditedPrice, toOwnPrice } from './price-form.ts';
import classes from './prices.module.css';

/** Models that are shown at first. */
const FEW = 10;

/** Lists models without a price, each with its suggestion. A person decides whether it is used. */
export function Unpriced({ onEdit }: { readonly onEdit: (price: EditedPrice) => void }) {
  const calls = useCalls();
  const { data, error, refetch } = useQuery(calls.prices.unpriced.queryOptions());
  const [isWhole, setWhole] = useState(false);
  const adopt = useMutation(
    calls.prices.add.mutationOptions({
      onSuccess: (_, { prices }) => toastSuccess(`${pluralize(prices.length, 'price')} adopted.`),
      onError: (failure) => toastError('Could not add the price.', failure),
    }),
  );
  if (data === undefined && error !== null) {
    return (
      <ErrorState
        title="Could not load the models without a price."
        error={error}
        onRetry={() => void refetch()}
      />
    );
  }
  if (data === undefined) return <Skeleton h={120} />;
  if (data.length === 0) return null;
  const shown = isWhole ? data : data.slice(0, FEW);
  return (
    <Panel
      title="Without a price"
      aside={
        <AdoptAll
          prices={unique(data.flatMap(({ suggestion }) => suggestion ?? []))}
          isBusy={adopt.isPending}
          onAdopt={(prices) => adopt.mutate({ prices })}
        />
      }
    >
      <Text size="sm" c="dimmed">
        Their costs are not known, and not counted as zero. Suggestions come with Gatehouse, in US
        dollars; none is used before you adopt it.
      </Text>
      <ul className={classes['list']}>
        {shown.map((one) => (
          <Item
            key={`${one.service ?? ''} ${one.model}`}
            unpriced={one}
            onAdopt={(price) => adopt.mutate({ prices: [price] })}
            onEdit={onEdit}
          />
        ))}
      </ul>
      {data.length > shown.length && (
        <Button variant="subtle" size="compact-sm" onClick={() => setWhole(true)}>
          Show all {data.length}
        </Button>
      )}
    </Panel>
  );
}

interface AdoptAllProps {
  readonly prices: NewPrice[];
  readonly isBusy: boolean;
  readonly onAdopt: (prices: NewPrice[]) => void;
}

function AdoptAll({ prices, isBusy, onAdopt }: AdoptAllProps) {
  if (prices.length < 2) return null;
  return (
    <Button size="compact-sm" variant="default" loading={isBusy} onClick={() => onAdopt(prices)}>
      Adopt all {prices.length} suggestions
    </Button>
  );
}

/** One model of two services has one suggestion. */
function unique(prices: readonly NewPrice[]): NewPrice[] {
  return [...new Map(prices.map((price) => [price.model, price])).values()];
}

interface ItemProps {
  readonly unpriced: UnpricedModel;
  readonly onAdopt: (price: NewPrice) => void;
  readonly onEdit: (price: EditedPrice) => void;
}

function Item({ unpriced, onAdopt, onEdit }: ItemProps) {
  const { service, model, exchanges, suggestion, lacksVideos } = unpriced;
  return (
    <li className={classes['item']}>
      <div className={classes['text']}>
        <div className={classes['model']}>{model}</div>
        <Text size="xs" c="dimmed">
          {service === null ? 'the service was not recorded' : service}
        </Text>
        <Text size="sm">
          {lacksVideos !== null &&
            'It has a price, but none for the videos that it made: set one for each second of video.'}
          {lacksVideos === null &&
            (suggestion === null
              ? 'No suggestion.'
              : `${describePrices(suggestion.prices, 'USD')} (${suggestion.origin})`)}
        </Text>
      </div>
      {exchanges > 0 && (
        <Badge variant="default" tt="none" fw={500}>
          {pluralize(exchanges, lacksVideos === null ? 'request' : 'video')} without a cost
        </Badge>
      )}
      <Group gap="xs">
        {suggestion !== null && (
          <Button
            size="compact-sm"
            aria-label={`Adopt the suggestion for ${model}`}
            onClick={() => onAdopt(suggestion)}
          >
            Adopt
          </Button>
        )}
        <Button
          size="compact-sm"
          variant="default"
          aria-label={`Set the price of ${model}`}
          onClick={() => onEdit(suggestion ?? toOwnPrice(model, lacksVideos))}
        >
          Set…
        </Button>
      </Group>
    </li>
  );
}
