import { ActionIcon, Group, Skeleton, Text, Tooltip } from '@mantine/core';
import { IconCoins, IconPencil, IconTrash } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import {
  describeOrigin,
  describePrices,
  describeValidFrom,
} from '../../../shared/money/describe-price.ts';
import type { Price } from '../../../shared/money/price.ts';
import { formatCount } from '../../../shared/format.ts';
import { useCalls } from '../../api/client.ts';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { FilterInput } from '../../components/inputs/filter-input.tsx';
import { Panel } from '../../components/panel.tsx';
import { EmptyState } from '../../components/states/empty-state.tsx';
import { ErrorState } from '../../components/states/error-state.tsx';
import { useIsFree } from '../../hooks/use-is-free.ts';
import { toastError, toastSuccess } from '../../hooks/toast.ts';
import classes from './prices.module.css';

/** Prices that are shown at once. */
const LIMIT = 200;

interface PriceListProps {
  readonly currency: string;
  readonly onEdit: (price: Price) => void;
}

/** Lists the prices in use, to find, change and remove them. */
export function PriceList({ currency, onEdit }: PriceListProps) {
  const calls = useCalls();
  const [text, setText] = useState('');
  const { data, error, refetch } = useQuery(
    calls.prices.list.queryOptions({ input: { text: text.slice(0, LIMIT), limit: LIMIT } }),
  );
  const [removed, setRemoved] = useState<Price | null>(null);
  if (data === undefined && error !== null) {
    return (
      <ErrorState title="Could not load the prices." error={error} onRetry={() => void refetch()} />
    );
  }
  if (data === undefined) return <Skeleton h={240} />;
  if (data.total === 0) {
    return (
      <>
        <EmptyState icon={IconCoins} title="No prices yet">
          Gatehouse computes what requests to your services cost from the prices that you enter
          here. Adopt a suggestion, add a price, or import a list of LiteLLM or models.dev.
        </EmptyState>
        <PlayPrices prices={data.play} currency={currency} />
      </>
    );
  }
  return (
    <>
      <Panel
        title="Prices"
        aside={
          <FilterInput value={text} onChange={setText} label="Find a price" placeholder="Model" />
        }
      >
        <ul className={classes['list']} aria-label="Prices">
          {data.prices.map((price) => (
            <Item
              key={price.id}
              price={price}
              currency={currency}
              onEdit={() => onEdit(price)}
              onRemove={() => setRemoved(price)}
            />
          ))}
        </ul>
        <Text size="sm" c="dimmed" role="status">
          {data.matches === 0 && 'No price matches.'}
          {data.matches > data.prices.length &&
            `${formatCount(data.prices.length)} of ${formatCount(data.matches)} are shown.`}
        </Text>
        <RemoveDialog price={removed} onClose={() => setRemoved(null)} />
      </Panel>
      <PlayPrices prices={data.play} currency={currency} />
    </>
  );
}

interface PlayPricesProps {
  readonly prices: readonly Price[];
  readonly currency: string;
}

/** Lists what models cost in the sandbox, while it is in use. */
function PlayPrices({ prices, currency }: PlayPricesProps) {
  const isFree = useIsFree();
  if (!isFree) return null;
  return (
    <Panel title="Play prices of the sandbox">
      <Text size="sm" c="dimmed">
        The sandbox is in use. It has prices of its own, which nobody is charged, so that costs and
        limits can be tried. A price of your own for all services holds in the sandbox, too.
      </Text>
      <ul className={classes['list']} aria-label="Play prices of the sandbox">
        {prices.map(({ id, model, prices: amounts }) => (
          <li className={classes['item']} key={id}>
            <div className={classes['text']}>
              <div className={classes['model']}>{model === '*' ? 'all other models' : model}</div>
              <Text size="sm">{describePrices(amounts, currency)}</Text>
            </div>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

interface ItemProps {
  readonly price: Price;
  readonly currency: string;
  readonly onEdit: () => void;
  readonly onRemove: () => void;
}

function Item({ price, currency, onEdit, onRemove }: ItemProps) {
  const { model, service, prices, tiers } = price;
  const from = describeValidFrom(price);
  const facts = [
    ...(service === null ? [] : [`at ${service}`]),
    ...(from === null ? [] : [`from ${from}`]),
    describeOrigin(price),
  ];
  return (
    <li className={classes['item']}>
      <div className={classes['text']}>
        <div className={classes['model']}>{model}</div>
        <Text size="sm">{describePrices(prices, currency) || 'No amounts.'}</Text>
        {tiers.map((tier) => (
          <Text size="sm" key={tier.aboveInput}>
            Above {formatCount(tier.aboveInput)} input tokens:{' '}
            {describePrices(tier.prices, currency)}
          </Text>
        ))}
        <Text size="xs" c="dimmed">
          {facts.join(', ')}
        </Text>
      </div>
      <Group gap={4}>
        <IconButton label={`Change the price of ${model}`} icon={IconPencil} onClick={onEdit} />
        <IconButton label={`Remove the price of ${model}`} icon={IconTrash} onClick={onRemove} />
      </Group>
    </li>
  );
}

interface IconButtonProps {
  readonly label: string;
  readonly icon: typeof IconPencil;
  readonly onClick: () => void;
}

function IconButton({ label, icon: Icon, onClick }: IconButtonProps) {
  return (
    <Tooltip label={label}>
      <ActionIcon variant="subtle" color="gray" aria-label={label} onClick={onClick}>
        <Icon size={16} />
      </ActionIcon>
    </Tooltip>
  );
}

interface RemoveDialogProps {
  /** `null`: nothing is asked. */
  readonly price: Price | null;
  readonly onClose: () => void;
}

function RemoveDialog({ price, onClose }: RemoveDialogProps) {
  const remove = useMutation(
    useCalls().prices.remove.mutationOptions({
      onSuccess: () => {
        toastSuccess('Removed.');
        onClose();
      },
      onError: (error) => toastError('Could not remove the price.', error),
    }),
  );
  return (
    <ConfirmDialog
      opened={price !== null}
      onClose={onClose}
      title="Remove this price?"
      action="Remove"
      busy={remove.isPending}
      onConfirm={() => price !== null && remove.mutate({ id: price.id })}
    >
      Requests of {price?.model} have no price from now on, unless another one matches. Costs that
      were computed stay as they are.
    </ConfirmDialog>
  );
}
