import { VisuallyHidden } from '@mantine/core';
import type { Cost } from '../../shared/money/cost.ts';
import { formatListedMoney } from '../../shared/money/format-money.ts';
import { isFree } from '../../shared/money/charge.ts';
import { describeCost } from '../../shared/money/describe-cost.ts';
import { useCurrency } from '../hooks/use-currency.ts';
import { ScreenLink } from './screen-link.tsx';

interface CostProps {
  readonly cost: Cost | null;
  /** Stable id of the service. */
  readonly service: string | null;
}

interface ShortCostProps extends CostProps {
  readonly currency: string;
}

/** Shows the cost of an exchange in a short form, with how it is known in a tooltip; a dash when it is not known. */
export function ShortCost({ cost, service, currency }: ShortCostProps) {
  const words = describeCost(cost, { currency, service });
  if (cost === null || words === null) return null;
  const { amount, source } = cost;
  return (
    <span data-figures title={words}>
      {amount === null ? (
        <>
          <span aria-hidden>{source === 'unpriced' ? 'no price' : '–'}</span>
          <VisuallyHidden>cost: {words}</VisuallyHidden>
        </>
      ) : (
        <>
          {formatListedMoney(amount, currency)}
          {isFree(service) ? (
            <span data-unit> not charged</span>
          ) : (
            source === 'estimated' && <span data-unit> est.</span>
          )}
        </>
      )}
    </span>
  );
}

interface FullCostProps extends CostProps {
  /** The model to set a price of; `null` when it is not known. */
  readonly model: string | null;
}

/** Shows the cost of an exchange and how it is known; without a price, with a link to set one. */
export function FullCost({ cost, service, model }: FullCostProps) {
  const currency = useCurrency();
  const words = describeCost(cost, { currency, service });
  return (
    <span data-figures>
      {words ?? 'nothing to pay'}
      {cost?.source === 'unpriced' && <SetPriceLink model={model} service={service} />}
    </span>
  );
}

/** A link to set the price of a model, after words that say that it has none; nothing when the model is not known. */
export function SetPriceLink({ model, service }: Pick<FullCostProps, 'model' | 'service'>) {
  if (model === null) return null;
  return (
    <>
      {' – '}
      <ScreenLink
        size="sm"
        underline="always"
        to="/prices"
        search={{ model, service: service ?? undefined }}
      >
        set one
      </ScreenLink>
    </>
  );
}
