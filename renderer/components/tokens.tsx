import { VisuallyHidden } from '@mantine/core';
import type { Usage, UsageSource } from '../../shared/exchange/usage.ts';
import { formatShortCount } from '../format/format.ts';
import { formatCount } from '../../shared/format.ts';

const SOURCES: Readonly<Record<UsageSource, string>> = {
  reported: 'Reported by the service.',
  estimated: 'Estimated by Gatehouse: the service reported nothing.',
  unknown: 'Unknown: the service reported nothing.',
};

/** Describes where token counts come from; `sent`: whether the request reached the service. */
export function describeUsageSource(source: UsageSource, sent = true): string {
  return sent || source !== 'unknown' ? SOURCES[source] : 'None: nothing was sent to the service.';
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
    <span data-figures title={(known ? exact : '') + describeUsageSource(source, sent)}>
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
