import { formatDay } from '../../shared/format.ts';
import type { NewPrice } from '../../shared/money/price.ts';
import { toPattern } from '../../shared/name-pattern.ts';
import { startOfDay } from '../../shared/parse-time.ts';
import { quoteForShell } from '../../shared/shell-quote.ts';

interface MissingPrice {
  readonly model: string;
  /** The options for the amounts that are missing. */
  readonly amounts: string;
  /** The present price of the model, which lacks them; `null` when there is none at all. */
  readonly price: Pick<NewPrice, 'service' | 'model' | 'validFrom'> | null;
}

/** The options for the amounts of texts. */
export const TEXT_AMOUNTS = '--input AMOUNT --output AMOUNT';

/** Returns the option for the amount of videos of a resolution; `null` for all without a price of their own. */
export function secondsOf(resolution: string | null): string {
  return `--video-second ${quoteForShell(resolution ?? '*')}=AMOUNT`;
}

/** Formats the command that sets amounts of a model, within the present price. */
export function formatPriceCommand(
  { model, amounts, price }: MissingPrice,
  command: string,
): string {
  const { service = null, validFrom = 0 } = price ?? {};
  const parts = [
    quoteForShell(price?.model ?? toPattern(model)),
    ...(service === null ? [] : ['--service', quoteForShell(service)]),
    ...(validFrom === 0 ? [] : ['--from', formatFrom(validFrom)]),
    amounts,
  ];
  return `${command} prices set ${parts.join(' ')}`;
}

/** Formats a time so that the option --from reads exactly this one. */
function formatFrom(at: number): string {
  return at === startOfDay(at, 0) ? formatDay(at) : new Date(at).toISOString();
}
