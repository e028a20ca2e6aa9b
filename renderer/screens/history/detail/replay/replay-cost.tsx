import { Text } from '@mantine/core';
import { NO_CHARGE_SENTENCE } from '../../../../../shared/money/charge.ts';
import { formatCount } from '../../../../../shared/format.ts';
import type { Usage } from '../../../../../shared/exchange/usage.ts';
import { useModelChoice } from '../../../../api/use-model-list.ts';
import { useIsFree } from '../../../../hooks/use-is-free.ts';
import { findPrices } from '../../../../../shared/model-metadata/model-fields.ts';

interface ReplayCostProps {
  readonly models: readonly string[];
  /** The tokens of the first request. */
  readonly usage: Usage;
}

/** Says what is known of the cost before a request is sent: prices as the service lists them, and the tokens of the first request. */
export function ReplayCost({ models, usage }: ReplayCostProps) {
  const isFree = useIsFree();
  const known = useModelChoice();
  if (isFree) return <Text size="sm">{NO_CHARGE_SENTENCE}</Text>;
  const prices = [...new Set(models)].flatMap((id) => {
    const model = known.find((one) => one.model.id === id)?.model;
    const listed = model === undefined ? [] : findPrices(model);
    const texts = listed.map(({ label, value }) => `${label} ${value}`);
    return texts.length === 0 ? [] : [`${id}: ${texts.join(', ')}`];
  });
  return (
    <Text size="sm" component="div" data-figures>
      Each model is asked once, and the service may charge for it. {describeTokens(usage)}
      {prices.map((text) => (
        <div key={text}>Listed prices of {text}</div>
      ))}
    </Text>
  );
}

function describeTokens({ input, output }: Usage): string {
  if (input === null) return 'The tokens of the first request are not known.';
  return `The first request had ${formatCount(input)} tokens in and ${formatCount(output)} out.`;
}
