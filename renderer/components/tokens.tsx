import { VisuallyHidden } from '@mantine/core';
import type { Usage, UsageSource } from '../../shared/exchange/usage.ts';
import { formatShortCount } from '../format/format.ts';
import { formatCount } from '../../shared/format.ts';

const SOURCES: Readonly<Record<UsageSource, string>> = {
  reported: 'Reported by the service.',
  estimated: 'At least one of both is estimated by Gatehouse.',
  unknown: 'Unknown: the service reported nothing.',
};

/** Describes where token counts come from; `sent`: whether the request reached the service. */
export function describeUsageSource({ source, reportedPart }: Usage, sent = true): string {
  if (!sent && source === 'unknown') return 'None: nothing was sent to the service.';
  if (reportedPart === null) return SOURCES[source];
  if (reportedPart === 'none') return 'Estimated by Gatehouse: the service reported neither.';
  const estimated = reportedPart === 'input' ? 'output' : 'input';
  return `The service reported the ${reportedPart}; the ${estimated} is estimated by Gatehouse.`;
}

interface TokensProps {
  readonly usage: Usage;
  /** Whether the request reached the service. */
  readonly sent?: boolean;
}

/** Shows the tokens of one exchange, in and out, with their source in a tooltip; estimates are marked. */
export function Tokens({ usage, sent = true }: TokensProps) {
  const { input, output, source } = usage;
  const known = source !== 'unknown' && (input !== null || output !== null);
  const exact = `${amount(input, formatCount)} in, ${amount(output, formatCount)} out. `;
  return (
    <span data-figures title={(known ? exact : '') + describeUsageSource(usage, sent)}>
      {known ? (
        <>
          {amount(input, formatShortCount)} <span data-unit>in</span>{' '}
          {amount(output, formatShortCount)} <span data-unit>out</span>
          {source === 'estimated' && <span data-unit> est.</span>}
        </>
      ) : (
        <>
          <span aria-hidden>–</span>
          <VisuallyHidden>{sent ? 'tokens unknown' : 'no tokens'}</VisuallyHidden>
        </>
      )}
    </span>
  );
}

function amount(count: number | null, text: (count: number) => string): string {
  return count === null ? '–' : text(count);
}
